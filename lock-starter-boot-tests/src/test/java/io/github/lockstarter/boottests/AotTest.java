package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The application as it was prepared at build time: bean definitions and proxies are generated code. */
class AotTest {

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
            assertThat(application.awaitLine(line -> line.startsWith("settled"), Duration.ofMinutes(1)))
                    .matches("settled, token [1-9]\\d{15}, generated true");
        }
    }
}
