package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.lease.settings.HandOffSettings;
import io.github.lockstarter.lease.settings.LockSettings;
import io.github.lockstarter.lease.support.LeaseClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The watchdog and a lease that was handed over: it goes on with the new one as it would have with the old. */
class HandOverWatchdogTest extends PuppetRegistry {

    private static final LockSettings SETTINGS =
            settings(TIMEOUT, Duration.ZERO).withHandOff(new HandOffSettings(Duration.ofSeconds(10), 10_000));

    /** Renewed as often, with so much left at any time that the lease is handed over on a busy machine too. */
    private static final LockSettings LASTING =
            lasting(settings(TIMEOUT, Duration.ZERO)).withHandOff(SETTINGS.handOff());

    private static final Duration INTERVAL = TIMEOUT.dividedBy(4);

    private final EventLog heard = new EventLog();

    private final Gate gate = new Gate();

    @AfterEach
    void open() {
        this.gate.open();
    }

    private static Lease handOver(LeasingLockRegistry registry, Lease from) throws Exception {
        CompletableFuture<Lease> waiting = registry.acquireAsync(request());
        assertThat(from.release()).isTrue();
        return waiting.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldRenewTheNewOneAndNotTheOldOneOnceAnInterval() throws Exception {
        LeasingLockRegistry registry = registry(LASTING, LeaseClock.SYSTEM, this.heard);
        Lease lease = registry.acquire(request());
        for (int handedOver = 0; handedOver < 50; ) {
            int releases = store().releases();
            lease = handOver(registry, lease);
            // through the store if it is being renewed at that moment
            handedOver += store().releases() == releases ? 1 : 0;
        }
        long token = lease.fencingToken();
        int before = store().renewals();
        long start = System.nanoTime();

        eventually().until(() -> store().renewals() >= before + 4);

        // five would be due after 4.75 intervals, and the first of them right away
        int renewals = store().renewals() - before;
        double intervals = (double) (System.nanoTime() - start) / INTERVAL.toNanos();
        assertThat((double) renewals).isLessThanOrEqualTo(intervals / 0.9 + 1);
        eventually().until(() -> !renewedSince(token).isEmpty());
        assertThat(renewedSince(token))
                .extracting(LockRenewedEvent::fencingToken)
                .containsOnly(token);
        assertThat(lease.release()).isTrue();
        int after = store().renewals();
        throughout(TIMEOUT).until(() -> store().renewals() == after);
    }

    /** Renewals that were reported after the grant of that token. */
    private List<LockRenewedEvent> renewedSince(long token) {
        return this.heard.all().stream()
                .dropWhile(event -> !(event instanceof LockAcquiredEvent granted && granted.fencingToken() == token))
                .filter(LockRenewedEvent.class::isInstance)
                .map(LockRenewedEvent.class::cast)
                .toList();
    }

    /** Each hand-over comes before the next renewal would; nevertheless there is one in each interval. */
    @Test
    void shouldRenewALeaseThatNobodyKeepsForLong() throws Exception {
        LeasingLockRegistry registry = registry(SETTINGS, LeaseClock.SYSTEM, this.heard);
        Lease[] lease = {registry.acquire(request())};

        eventually().until(() -> {
            lease[0] = handOver(registry, lease[0]);
            return store().renewals() >= 8;
        });

        assertThat(lease[0].remaining()).isGreaterThan(Duration.ZERO);
        assertThat(lease[0].release()).isTrue();
    }

    /** The timer has taken the lease out of its queue, and finds it released when it puts it back. */
    @Test
    void shouldLookAfterALeaseThatIsHandedOverWhileItIsLookedAt() throws Exception {
        ShiftedClock clock = new ShiftedClock();
        LeasingLockRegistry registry = registry(SETTINGS, clock, this.heard);
        Lease lease = registry.acquire(request());
        clock.whenMillisAreRead(() -> {
            if (Thread.currentThread().getName().startsWith("lock-timer-")) {
                this.gate.pass();
            }
        });
        this.gate.awaitSomebody();

        Lease next = handOver(registry, lease);
        clock.whenMillisAreRead(null);
        this.gate.open();

        int before = store().renewals();
        eventually().until(() -> store().renewals() >= before + 8);
        assertThat(next.state()).isEqualTo(Lease.State.HELD);
        assertThat(this.heard.all(LockRenewedEvent.class))
                .extracting(LockRenewedEvent::fencingToken)
                .containsOnly(next.fencingToken());
        assertThat(next.release()).isTrue();
    }

    @Test
    void shouldNoticeThatTheNewOwnerDied() throws Exception {
        LeasingLockRegistry registry = registry(SETTINGS, LeaseClock.SYSTEM, this.heard);
        Lease lease = registry.acquire(request());
        CompletableFuture<Lease> next = new CompletableFuture<>();
        Thread owner = new Thread(() -> {
            registry.getLock(NAME).lock();
            next.complete(registry.getLock(NAME).currentLease());
        });
        owner.start();
        eventually().until(() -> registry.waiting() == 1);

        lease.close();

        CompletableFuture<LossReason> lost =
                next.get(20, TimeUnit.SECONDS).lost().toCompletableFuture();
        assertThat(lost.get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.OWNER_DIED);
        assertThat(next.join().fencingToken()).isEqualTo(lease.fencingToken() + 1);
        eventually().until(() -> !store().isLocked(NAME));
    }

    /** The old owner's thread means nothing to the new lease. */
    @Test
    void shouldNotMindTheDeathOfTheOldOwner() throws Exception {
        LeasingLockRegistry registry = registry(SETTINGS, LeaseClock.SYSTEM, this.heard);
        Thread owner = new Thread(() -> {
            registry.getLock(NAME).lock();
            try {
                this.gate.pass();
            } finally {
                registry.getLock(NAME).unlock();
            }
        });
        owner.start();
        this.gate.awaitSomebody();
        CompletableFuture<Lease> next = registry.acquireAsync(request());
        this.gate.open();
        owner.join(20_000);

        int before = store().renewals();
        Lease lease = next.get(20, TimeUnit.SECONDS);
        assertThat(store().releases()).isZero();
        eventually().until(() -> store().renewals() >= before + 3);

        assertThat(lease.state()).isEqualTo(Lease.State.HELD);
    }
}
