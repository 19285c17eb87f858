package io.github.lockstarter.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import io.github.lockstarter.testsupport.WorkerJvm;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Two instances on one database have to share one Redis. */
@RedisTest
@ExtendWith(OutputCaptureExtension.class)
class SecondInstanceTest {

    @TempDir
    private Path directory;

    @Test
    void isRefusedARedisOfItsOwnAndToldWhichOneToUse(CapturedOutput output) {
        try (Instance first = Instance.start(directory)) {
            String option = "--spring.data.redis.port=" + redisPort(first);

            assertThatIsRefused(directory);

            assertThat(output).contains("--server.port=0").containsPattern("spring-boot:run.*" + option);
            try (Instance second = Instance.start(directory, option)) {
                first.post("/api/events/ball?seats=2");
                long token = first.post("/api/events/ball/tickets").number("$.token");
                assertThat(second.post("/api/events/ball/tickets").number("$.token"))
                        .isGreaterThan(token);
            }
        }
    }

    @Test
    void isRefusedBesideOneThatWasGivenARedis(CapturedOutput output, RedisServer redis) {
        String option = "--spring.data.redis.port=" + redis.port();
        try (Instance first = Instance.start(directory, option)) {
            assertThatIsRefused(directory);
            assertThat(output).containsPattern("spring-boot:run.*" + option);
        }
    }

    @Test
    void startsWhenTheFirstOneHasStopped(RedisServer redis) {
        Instance.start(directory, "--spring.data.redis.port=" + redis.port()).close();
        Instance.start(directory).close();
        Instance.start(directory).close();
    }

    @Test
    void startsWhenTheFirstOneHasCrashed() throws InterruptedException {
        String[] arguments = Instance.arguments(directory, "--logging.level.io.github.lockstarter=INFO");
        try (WorkerJvm first = WorkerJvm.start(SampleApplication.class, arguments)) {
            first.awaitLine(line -> line.contains("Started SampleApplication"), Duration.ofSeconds(60));
            first.kill();
        }
        Instance.start(directory).close();
    }

    private static int redisPort(Instance instance) {
        return instance.bean(DataRedisConnectionDetails.class).getStandalone().getPort();
    }

    private static void assertThatIsRefused(Path directory) {
        assertThatThrownBy(() -> Instance.start(directory))
                .rootCause()
                .extracting(cause -> cause.getClass().getSimpleName())
                .isEqualTo("StartRefusedException");
    }
}
