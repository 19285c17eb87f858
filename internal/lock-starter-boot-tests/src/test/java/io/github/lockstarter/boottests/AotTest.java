package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** The application as it was prepared at build time: bean definitions and proxies are generated code. */
@Tag("full")
class AotTest {

    @Test
    void shouldTellNativeImagesWhatLocksReach() throws IOException {
        StringBuilder hints = new StringBuilder();
        for (Resource file : new PathMatchingResourcePatternResolver()
                .getResources("classpath*:META-INF/native-image/io.github.lockstarter/**/*.json")) {
            hints.append(file.getContentAsString(StandardCharsets.UTF_8));
        }

        assertThat(hints).contains("Order$Customer", "lua");
        assertThat(hints).as("values of a map").contains("DistributedLockProperties$Lock\"");
        assertThat(hints)
                .as("answers of the endpoint")
                .contains("LocksDescription", "LockDescription", "SettingDescription");
    }

    @Test
    void shouldLockWithWhatWasGenerated() throws Exception {
        assertThat(getClass().getResource("Orders$$SpringCGLIB$$0.class"))
                .as("the proxy that puts the lock around")
                .isNotNull();

        try (RedisServer redis = RedisServer.start();
                WorkerJvm application = WorkerJvm.start(
                        List.of("-Dspring.aot.enabled=true"),
                        LineApplication.class,
                        "--settle=ada",
                        "--server.port=0",
                        "--spring.data.redis.port=" + redis.port())) {
            assertThat(application.awaitLine(line -> line.startsWith("settled"), Duration.ofMinutes(3)))
                    .matches("settled, token [1-9]\\d{15}, generated true");
        }
    }
}
