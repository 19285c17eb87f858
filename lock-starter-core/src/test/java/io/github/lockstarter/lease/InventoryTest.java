package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealth.Status;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a registry says of its locks when they are not renewed as they should be. */
class InventoryTest extends PuppetRegistry {

    @Test
    void shouldShowALeaseAtRiskAndNoLongerOnceItIsLost() throws Exception {
        LeasingLockRegistry registry = registry();
        store().onRenew((renewals, real) -> {
            throw Failures.unanswered();
        });
        Lease lease = registry.acquire(request());

        eventually().until(() -> registry.held(NAME).orElseThrow().state() == Lease.State.AT_RISK);
        LockHealth health = registry.health();
        assertThat(health.held()).isEqualTo(1);
        assertThat(health.atRisk()).isEqualTo(1);
        assertThat(health.status()).isEqualTo(Status.UP);

        eventually().until(() -> registry.held(NAME).isEmpty());
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(registry.health().atRisk()).isZero();
        assertThat(registry.health().lost()).isEqualTo(1);
    }

    /** As virtual threads are, unless whoever starts them thinks of it. */
    @Test
    void shouldNameAnOwnerWhoseThreadHasNoName() throws Exception {
        LeasingLockRegistry registry = registry();
        AtomicReference<String> owner = new AtomicReference<>();
        Thread nameless = new Thread(
                () -> {
                    LeaseLock lock = registry.getLock(NAME);
                    lock.lock();
                    try {
                        owner.set(registry.held(NAME).orElseThrow().owner());
                    } finally {
                        lock.unlock();
                    }
                },
                "");

        nameless.start();
        nameless.join();

        assertThat(owner.get()).isEqualTo("#" + nameless.getId());
    }

    @Test
    void shouldBeDownWhenTheWatchdogIsMoreThanARenewalLate() throws Exception {
        HandClock clock = new HandClock();
        LeasingLockRegistry registry = registry(settings(LONG, Duration.ZERO), clock);
        registry.acquire(request());
        eventually().until(() -> registry.health().status() == Status.UP);

        // A renewal is due after a quarter, and the timer goes by another clock.
        clock.pass(LONG.dividedBy(4).plusSeconds(1));
        eventually().until(() -> registry.health().status() == Status.UP);
        assertThat(registry.health().watchdogLag()).isPositive();
        clock.pass(LONG.dividedBy(4).plusSeconds(1));

        LockHealth late = registry.health();
        assertThat(late.status()).isEqualTo(Status.DOWN);
        assertThat(late.problem())
                .contains("watchdog", String.valueOf(late.watchdogLag().toMillis()));
        assertThat(late.details()).containsKeys("problem", "watchdogLag");
        assertThat(registry.held(NAME)).isPresent();
    }
}
