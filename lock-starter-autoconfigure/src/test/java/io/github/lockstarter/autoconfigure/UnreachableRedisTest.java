package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.ServiceProfile;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.diagnostics.FailureAnalysis;

@Timeout(60)
class UnreachableRedisTest {

    /** The problem and the remedy stand apart. */
    @Test
    void shouldExplainWhyItDoesNotStartAtAServerWithoutTime() {
        try (RedisServer server = RedisServer.start();
                FaultProxy proxy = FaultProxy.inFrontOf(server.port(), ServiceProfile.noTimeAtAll())) {
            TestContexts.application(server)
                    .withPropertyValues("spring.data.redis.port=" + proxy.port())
                    .run(context -> {
                        FailureAnalysis analysis = FailureAnalyses.of(context.getStartupFailure());

                        assertThat(analysis.getDescription())
                                .contains("TIME (", "PEXPIRETIME (")
                                .doesNotContain(analysis.getAction());
                        assertThat(analysis.getAction()).contains("Redis 7.0", "#time-of-the-server");
                    });
        }
    }

    @Test
    void shouldStartAndFailAtOnceWithoutRedis() {
        RedisServer gone = RedisServer.start();
        gone.close();

        TestContexts.application(gone)
                .withPropertyValues("distributed-lock.redis.command-timeout=8s")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    LeaseLock lock = context.getBean(LockRegistry.class).getLock("orders");
                    long start = System.nanoTime();

                    assertThatExceptionOfType(LockStoreException.class).isThrownBy(lock::tryLock);

                    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(7));
                });
    }
}
