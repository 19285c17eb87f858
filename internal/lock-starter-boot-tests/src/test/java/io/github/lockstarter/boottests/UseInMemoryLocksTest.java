package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.test.UseInMemoryLocks;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** An application of this line, tested without Redis. */
@SpringBootTest(properties = "spring.data.redis.port=1")
@UseInMemoryLocks
class UseInMemoryLocksTest {

    @Test
    void shouldLockInMemory(@Autowired Orders orders, @Autowired LockStore store) {
        assertThat(orders.settle(new Order(new Order.Customer("ida"), 1))).isPositive();
        assertThat(store).isInstanceOf(InMemoryLockStore.class);
    }
}
