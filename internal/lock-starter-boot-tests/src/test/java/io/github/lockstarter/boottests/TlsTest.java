package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** A Redis that speaks nothing but TLS, and accepts only clients with a certificate that it knows. */
class TlsTest {

    @TempDir
    private static Path files;

    private static Certificate ofServer;

    private static Certificate ofClient;

    private static RedisServer server;

    private static RedisCli redis;

    private static int tlsPort;

    @BeforeAll
    static void startRedis() throws Exception {
        ofServer = Certificate.create(files, "server");
        ofClient = Certificate.create(files, "client");
        Path known = Files.writeString(
                files.resolve("known.crt"),
                Files.readString(ofServer.certificate()) + Files.readString(ofClient.certificate()));
        tlsPort = freePort();
        try {
            server = RedisServer.start(
                    "--tls-port",
                    Integer.toString(tlsPort),
                    "--tls-cert-file",
                    ofServer.certificate().toString(),
                    "--tls-key-file",
                    ofServer.privateKey().toString(),
                    "--tls-ca-cert-file",
                    known.toString());
        } catch (IllegalStateException e) {
            Assumptions.abort("TLS is not tested, because the redis-server of this machine does not have it: " + e.getMessage());
        }
        redis = server.cli();
        // From now on, there is no other port; this connection stays.
        redis.command("CONFIG", "SET", "port", "0");
    }

    @AfterAll
    static void stopRedis() {
        if (server != null) {
            redis.close();
            server.close();
        }
    }

    @Test
    void shouldLockOverTls() {
        List<String> withCertificate = bundle();
        withCertificate.add("spring.ssl.bundle.pem.redis.keystore.certificate=" + ofClient.certificate().toUri());
        withCertificate.add("spring.ssl.bundle.pem.redis.keystore.private-key=" + ofClient.privateKey().toUri());
        try (ConfigurableApplicationContext application = start(withCertificate, "with-certificate")) {
            LockRegistry registry = application.getBean(LockRegistry.class);

            try (Lease lease = registry.acquire(LockRequest.of("tls", ""))) {
                assertThat(redis.hgetall("lock:{tls}")).containsKey("o");
                assertThat(lease.fencingToken()).isPositive();
                // Nothing but locks has used Redis: these are the private connection and its subscription.
                assertThat(Clients.named(redis, "with-certificate:locks"))
                        .isNotEmpty()
                        .allSatisfy(line -> assertThat(line).contains(" laddr=127.0.0.1:" + tlsPort + " "));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void shouldBeRefusedWithoutACertificate() {
        try (ConfigurableApplicationContext application = start(bundle(), "without-certificate")) {
            LockRegistry registry = application.getBean(LockRegistry.class);

            assertThatExceptionOfType(LockStoreException.class)
                    .isThrownBy(() -> registry.acquire(
                            LockRequest.of("refused", "").withWaitTime(Duration.ZERO)));
            assertThat(redis.exists("lock:{refused}")).isFalse();
        }
    }

    private static List<String> bundle() {
        return new ArrayList<>(List.of(
                "spring.data.redis.ssl.bundle=redis",
                "spring.ssl.bundle.pem.redis.truststore.certificate=" + ofServer.certificate().toUri()));
    }

    private static ConfigurableApplicationContext start(List<String> properties, String clientName) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(properties.toArray(String[]::new))
                .properties("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + tlsPort)
                .run("--spring.data.redis.client-name=" + clientName);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
