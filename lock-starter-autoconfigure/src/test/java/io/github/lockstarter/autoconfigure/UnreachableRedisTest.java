package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.testsupport.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UnreachableRedisTest {

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
