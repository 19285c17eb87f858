package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.test.UseInMemoryLocks;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;

/** Transactions of an application of this line that fence themselves. */
@SpringBootTest(properties = {"spring.data.redis.port=1", "distributed-lock.jdbc.fence.enabled=true"})
@UseInMemoryLocks
class FenceTest {

    @Test
    void shouldRollBackALateOwner(
            @Autowired Ledger ledger, @Autowired LockRegistry locks, @Autowired JdbcTemplate jdbc) {
        ledger.book("in time", false);
        assertThat(ledger.entries("in time")).isOne();

        assertThatThrownBy(() -> locks.execute(LockRequest.of("ledger"), lease -> {
                    // As the transaction of the next owner does.
                    jdbc.update("UPDATE distributed_lock_fence SET token = token + 1");
                    ledger.book("late", false);
                    return null;
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(ledger.entries("late")).isZero();
    }
}
