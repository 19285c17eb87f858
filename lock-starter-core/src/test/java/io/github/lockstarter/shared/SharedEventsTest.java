package io.github.lockstarter.shared;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What listeners receive of shared locks. */
@RedisTest
class SharedEventsTest {

    @AutoClose
    private final Instances instances = new Instances();

    private final Instance instance;

    private final Instance other;

    SharedEventsTest(RedisServer server) {
        this.instance = this.instances.at(server, setup -> setup.calm());
        this.other = this.instances.at(server, setup -> setup.calm());
    }

    /** Readers that share one grant of the store as well: each of them has its events. */
    @Test
    void shouldBeThoseOfEachReader() throws Exception {
        LockRequest reading = LockRequest.of("prices").withMode(LockMode.READ);
        Lease first = this.instance.registry().acquire(reading);
        Lease second = this.instance.registry().acquire(reading);
        assertThat(this.other.registry().tryAcquire(LockRequest.of("prices").withWaitTime(Duration.ZERO)))
                .isEmpty();
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class, "prices") >= 2);
        first.release();
        second.release();

        soon().until(() -> this.instance.events().count(LockReleasedEvent.class, "prices") == 2);
        assertThat(this.instance.events().count(LockAcquiredEvent.class, "prices"))
                .isEqualTo(2);
        assertThat(modes(this.instance, "prices")).containsOnly(LockMode.READ);
        soon().until(() -> this.other.events().count(LockNotAcquiredEvent.class, "prices") == 1);
        assertThat(modes(this.other, "prices")).containsExactly(LockMode.WRITE);
    }

    @Test
    void shouldBeThoseOfPermits() throws Exception {
        LockRequest permits = LockRequest.of("exports").withPermits(2, 3);
        Lease lease = this.instance.registry().acquire(permits);
        assertThat(this.instance.registry().tryAcquire(permits.withWaitTime(Duration.ZERO)))
                .isEmpty();
        assertThat(this.instance.lock("exports").forceUnlock()).isTrue();
        soon().until(() -> lease.state() == Lease.State.LOST);

        soon().until(() -> this.instance.events().count(LockLostEvent.class, "exports") == 1);
        assertThat(this.instance.events().count(LockNotAcquiredEvent.class, "exports"))
                .isEqualTo(1);
        assertThat(modes(this.instance, "exports")).containsOnly(LockMode.PERMIT);
    }

    private static List<LockMode> modes(Instance instance, String lockName) {
        return instance.events().all().stream()
                .filter(event -> event.lockName().equals(lockName))
                .map(LockEvent::mode)
                .toList();
    }
}
