package io.github.lockstarter.backing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.PropertySource;

/** The process to which it connects does not start anything. */
class BackingInitializerTest {

    private final GenericApplicationContext context = new GenericApplicationContext();
    private ServerSocket process;

    @BeforeEach
    void listen() throws IOException {
        process = new ServerSocket(0, 1, TestBacking.loopback());
        new Thread(() -> answer(process)).start();
    }

    @AfterEach
    void end() throws IOException {
        process.close();
        context.close();
    }

    @Test
    void configuresRedisAndDatabase() {
        PropertySource<?> backing = initialize("spring.data.redis.timeout=2s", "spring.datasource.name=tickets");

        assertThat(backing.getProperty("spring.data.redis.port")).isEqualTo(7001);
        assertThat(backing.getProperty("spring.datasource.url")).asString().contains("127.0.0.1:7002/tickets");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "url=redis://localhost",
                "host=localhost",
                "port=6379",
                "cluster.nodes=localhost:7000,localhost:7001",
                "cluster.nodes[0]=localhost:7000",
                "sentinel.nodes[0]=localhost:26379",
                "masterreplica.nodes=localhost:6379"
            })
    void leavesAConfiguredRedisAlone(String property) {
        PropertySource<?> backing = initialize("spring.data.redis." + property);

        assertThat(backing.getProperty("spring.data.redis.port")).isNull();
        assertThat(backing.getProperty("spring.data.redis.host")).isNull();
        assertThat(backing.getProperty("spring.datasource.url")).isNotNull();
    }

    @Test
    void leavesAConfiguredDatabaseAlone() {
        PropertySource<?> backing = initialize("spring.datasource.url=jdbc:postgresql://localhost/tickets");

        assertThat(backing.getProperty("spring.datasource.url")).isNull();
        assertThat(backing.getProperty("spring.data.redis.port")).isNotNull();
    }

    @Test
    void connectsToNothingIfBothAreConfigured() {
        TestPropertyValues.of(Map.of(
                        "SPRING_DATA_REDIS_HOST",
                        "localhost",
                        "SPRING_DATASOURCE_URL",
                        "jdbc:postgresql://localhost/tickets"))
                .applyTo(context.getEnvironment(), TestPropertyValues.Type.SYSTEM_ENVIRONMENT);

        assertThat(initialize()).isNull();
        assertThat(context.getBeanFactory().getSingletonNames()).isEmpty();
    }

    private @Nullable PropertySource<?> initialize(String... properties) {
        TestPropertyValues.of(
                        "sample.backing.port=" + process.getLocalPort(),
                        "sample.backing.redis-port=7001",
                        "sample.backing.database-port=7002",
                        "sample.backing.directory=.",
                        "sample.backing.idle-timeout=10s")
                .and(properties)
                .applyTo(context.getEnvironment());
        ConfigurationPropertySources.attach(context.getEnvironment());
        new BackingInitializer().initialize(context);
        return context.getEnvironment().getPropertySources().get("backing");
    }

    private static void answer(ServerSocket process) {
        try (Socket instance = process.accept()) {
            instance.getOutputStream().write("ready 7001 7002 nothing\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // no client connects in this test
        }
    }
}
