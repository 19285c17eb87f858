package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.Grants;
import io.github.lockstarter.lease.release.LeaseHandle;
import io.github.lockstarter.lease.settings.HandOffSettings;
import io.github.lockstarter.lease.settings.LockSettings;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.store.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a lease goes through the store instead, although somebody waits in this JVM. */
class HandOverBudgetTest extends PuppetRegistry {

    private static final HandOffSettings GENEROUS = new HandOffSettings(Duration.ofSeconds(10), 64);

    private static final Duration MICRO = Duration.ofNanos(1_000);

    private static final Duration MILLI = Duration.ofMillis(1);

    /** Half of it are five seconds, and with the margin nine can be believed. */
    private static final Duration LEASE = Duration.ofSeconds(10);

    private final HandClock clock = new HandClock();

    private LeasingLockRegistry registry;

    private Lease lease;

    private void acquire(HandOffSettings handOff, LockRequest request) throws Exception {
        this.registry = registry(settings(LEASE, Duration.ZERO).withHandOff(handOff), this.clock);
        this.lease = this.registry.acquire(request);
    }

    /** Releases to somebody who waits; whether the store was asked. */
    private boolean releaseAsks(LockRequest next) throws Exception {
        int before = store().releases();
        CompletableFuture<Lease> waiting = this.registry.acquireAsync(next);
        assertThat(this.lease.release()).isTrue();
        this.lease = waiting.get(20, TimeUnit.SECONDS);
        assertThat(this.lease.isHeld()).isTrue();
        return store().releases() > before;
    }

    private boolean releaseAsks() throws Exception {
        return releaseAsks(request());
    }

    @Test
    void shouldAskTheStoreWhenTheTimeIsUp() throws Exception {
        acquire(new HandOffSettings(Duration.ofMillis(10), 64), request());
        this.clock.pass(Duration.ofMillis(10).minusNanos(1));
        assertThat(releaseAsks()).isFalse();

        this.clock.pass(Duration.ofNanos(1));
        assertThat(releaseAsks()).isTrue();

        // counted anew from the answer of the store
        this.clock.pass(Duration.ofMillis(9));
        assertThat(releaseAsks()).isFalse();
    }

    @Test
    void shouldAskTheStoreWhenTheCountIsUsedUp() throws Exception {
        acquire(new HandOffSettings(Duration.ofSeconds(10), 3), request());
        for (int round = 0; round < 3; round++) {
            this.clock.pass(MILLI);
            for (int pass = 0; pass < 3; pass++) {
                assertThat(releaseAsks()).isFalse();
            }
            assertThat(releaseAsks()).isTrue();
        }
    }

    @Test
    void shouldNeverPassMoreOftenThanMicrosecondsWentBy() throws Exception {
        acquire(GENEROUS, request());
        assertThat(releaseAsks()).isTrue();

        this.clock.pass(MICRO.minusNanos(1));
        assertThat(releaseAsks()).isTrue();

        this.clock.pass(MICRO.multipliedBy(3));
        assertThat(releaseAsks()).isFalse();
        assertThat(releaseAsks()).isFalse();
        assertThat(releaseAsks()).isFalse();
        assertThat(releaseAsks()).isTrue();
    }

    /** What the store answers may take long to come; its clock stood there when it was asked. */
    @Test
    void shouldCountMicrosecondsFromTheAnswer() throws Exception {
        store().onAcquire(real -> {
            this.clock.pass(MILLI);
            return real.make();
        });

        acquire(GENEROUS, request());

        assertThat(releaseAsks()).isTrue();
    }

    @Test
    void shouldUseTheBudgetOfTheName() throws Exception {
        NamedSettings once = new NamedSettings(
                "orders",
                null,
                null,
                null,
                null,
                null,
                null,
                new NamedValue<>("locks.orders.handoff.max-time", Duration.ofSeconds(10)),
                new NamedValue<>("locks.orders.handoff.max-count", 1));
        LockSettings settings = settings(LEASE, Duration.ZERO).withHandOff(new HandOffSettings(Duration.ZERO, 64));
        this.registry = registry(settings.withNamed(new SettingsByName(List.of(once))), this.clock);
        this.lease = this.registry.acquire(LockRequest.of("orders:42"));
        this.clock.pass(MILLI);

        assertThat(releaseAsks(LockRequest.of("orders:42"))).isFalse();
        assertThat(releaseAsks(LockRequest.of("orders:42"))).isTrue();
        assertThat(this.lease.release()).isTrue();
        this.lease = this.registry.acquire(LockRequest.of("invoices:42"));
        this.clock.pass(MILLI);
        assertThat(releaseAsks(LockRequest.of("invoices:42"))).isTrue();
    }

    @Test
    void shouldAskTheStoreWhenThereIsNoBudget() throws Exception {
        acquire(new HandOffSettings(Duration.ofSeconds(10), 0), request());
        this.clock.pass(MILLI);
        assertThat(releaseAsks()).isTrue();
        assertThat(this.lease.release()).isTrue();
        stop();

        acquire(new HandOffSettings(Duration.ZERO, 64), request());
        this.clock.pass(MILLI);
        assertThat(releaseAsks()).isTrue();
    }

    @Test
    void shouldNotHandOverAFixedLease() throws Exception {
        acquire(GENEROUS, request().withLease(LEASE));
        this.clock.pass(MILLI);

        assertThat(releaseAsks()).isTrue();
    }

    @Test
    void shouldNotHandOverToWhoWantsAFixedLease() throws Exception {
        acquire(GENEROUS, request());
        this.clock.pass(MILLI);

        assertThat(releaseAsks(request().withLease(LEASE))).isTrue();
    }

    @Test
    void shouldNotHandOverALeaseAtRisk() throws Exception {
        acquire(GENEROUS, request());
        this.clock.pass(MILLI);
        Grants.atRisk(grant());

        assertThat(releaseAsks()).isTrue();
    }

    @Test
    void shouldHandOverALeaseThatHasRecovered() throws Exception {
        acquire(GENEROUS, request());
        this.clock.pass(MILLI);
        Grants.atRisk(grant());
        Grants.recover(grant());

        assertThat(releaseAsks()).isFalse();
    }

    @Test
    void shouldHandOverALeaseThatIsBeingRenewedWithItsRenewal() throws Exception {
        acquire(GENEROUS, request());
        this.clock.pass(MILLI);
        Renewal renewal = Grants.sendRenewal(grant(), this.clock);

        assertThat(releaseAsks()).isFalse();
        this.clock.pass(MILLI);
        assertThat(releaseAsks()).isFalse();

        Duration before = this.lease.remaining();
        renewal.renewed();
        assertThat(this.lease.remaining()).isGreaterThan(before);
        assertThat(grant().renewals()).isEqualTo(1);
    }

    @Test
    void shouldLoseTheLeaseOfTheNextOwnerIfTheRenewalOfTheOneBeforeIsRefused() throws Exception {
        acquire(GENEROUS, request());
        this.clock.pass(MILLI);
        Renewal renewal = Grants.sendRenewal(grant(), this.clock);
        assertThat(releaseAsks()).isFalse();

        renewal.lost(LossReason.TAKEN_OVER);

        assertThat(this.lease.state()).isEqualTo(Lease.State.LOST);
    }

    @Test
    void shouldNotHandOverLessThanHalfOfALease() throws Exception {
        acquire(GENEROUS, request());
        this.clock.pass(Duration.ofSeconds(4).minus(MILLI));
        assertThat(releaseAsks()).isFalse();

        this.clock.pass(MILLI);
        assertThat(releaseAsks()).isTrue();

        // it is whole again
        assertThat(this.lease.remaining()).isEqualTo(Duration.ofSeconds(9));
    }

    /** If the next owner died, others would wait for a time that it never asked for. */
    @Test
    void shouldNotHandOverALeaseThatANestedHoldHasLengthened() throws Exception {
        acquire(GENEROUS, request());
        this.clock.pass(MILLI);
        Grants.extend(grant(), this.clock, LONG.toMillis());

        assertThat(releaseAsks()).isTrue();
        assertThat(this.lease.remaining()).isEqualTo(Duration.ofSeconds(9));
    }

    private Grant grant() {
        return ((LeaseHandle) this.lease).grant();
    }
}
