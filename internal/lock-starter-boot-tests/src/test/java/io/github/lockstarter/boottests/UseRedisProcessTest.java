package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.test.UseRedisProcess;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.StringRedisTemplate;

/** An application of this line, tested with a Redis of its own instead of the configured one. */
@SpringBootTest(properties = "spring.data.redis.url=rediss://app:secret@127.0.0.2:1")
@UseRedisProcess
class UseRedisProcessTest {

    @Test
    void shouldLockInTheProcess(@Autowired LockRegistry registry, @Autowired StringRedisTemplate redis)
            throws Exception {
        try (Lease lease = registry.acquire(LockRequest.of("order", "1"))) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(redis.hasKey("lock:{order:1}")).isTrue();
        }
    }
}
