package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.release.LeaseHandle;
import io.github.lockstarter.lease.settings.HandOffSettings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lease that goes to the next who waits in this JVM, as it is and without the store. */
class HandOverTest extends PuppetRegistry {

    private final HandClock clock = new HandClock();

    private final EventLog heard = new EventLog();

    private LeasingLockRegistry registry;

    private Lease old;

    @BeforeEach
    void acquire() throws Exception {
        acquire(LONG);
    }

    private void acquire(Duration timeout) throws Exception {
        this.registry = registry(
                settings(timeout, Duration.ZERO).withHandOff(new HandOffSettings(Duration.ofSeconds(10), 64)),
                this.clock,
                this.heard);
        this.old = this.registry.acquire(request());
    }

    /** Somebody waits, and gets the lease that is released. */
    private Lease handOver() throws Exception {
        CompletableFuture<Lease> waiting = this.registry.acquireAsync(request());
        this.clock.pass(Duration.ofMillis(1));
        assertThat(this.old.release()).isTrue();
        return waiting.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldNotAskTheStore() throws Exception {
        Lease next = handOver();

        assertThat(store().received())
                .singleElement()
                .satisfies(call -> assertThat(call.operation()).isEqualTo("acquire"));
        assertThat(next.isHeld()).isTrue();
        assertThat(next.fencingToken()).isEqualTo(this.old.fencingToken() + 1);
        assertThat(this.registry.active()).isEqualTo(1);
        assertThat(this.registry.waiting()).isZero();
        assertThat(next.release()).isTrue();
        assertThat(store().isLocked(NAME)).isFalse();
        assertThat(this.registry.active()).isZero();
    }

    @Test
    void shouldReleaseTheOneIdWithTheLastTokenInTheEnd() throws Exception {
        Lease next = handOver();

        next.close();

        assertThat(store().received("release")).singleElement().satisfies(call -> {
            assertThat(call.acquisitionId()).isEqualTo(store().acquisitionIds().get(0));
            assertThat(call.lastToken()).isEqualTo(next.fencingToken());
            assertThat(call.successor()).isNull();
        });
    }

    @Test
    void shouldLeaveTheOldLeaseNothing() throws Exception {
        assertThat(this.old.release()).isTrue();
        stop();
        // the look at which the loss is noticed comes with the next renewal, by the real clock
        acquire(Duration.ofSeconds(8));
        int released = store().releases();
        CompletableFuture<LossReason> lost = this.old.lost().toCompletableFuture();

        Lease next = handOver();

        assertThat(this.old.isHeld()).isFalse();
        assertThat(this.old.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(this.old.remaining()).isZero();
        assertThat(this.old.release()).isTrue();
        this.old.close();
        assertThat(next.isHeld()).isTrue();
        assertThat(store().releases()).isEqualTo(released);
        CompletableFuture<LossReason> lostLater = this.old.lost().toCompletableFuture();
        this.clock.pass(LONG);
        assertThat(next.lost().toCompletableFuture().get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
        assertThat(lost).isNotDone();
        assertThat(lostLater).isNotDone();
        assertThat(this.old.state()).isEqualTo(Lease.State.RELEASED);
    }

    @Test
    void shouldCarryOverWhatIsLeft() throws Exception {
        this.clock.pass(Duration.ofSeconds(4));
        Duration before = this.old.remaining();
        this.clock.passSuspended(Duration.ofSeconds(2));

        Lease next = handOver();

        assertThat(next.remaining())
                .isEqualTo(before.minusSeconds(2).minusMillis(1))
                .isEqualTo(Duration.ofSeconds(54 - 6).minusMillis(1));
    }

    @Test
    void shouldCountTheCapFromItsOwnGrant() throws Exception {
        CompletableFuture<Lease> capped = this.registry.acquireAsync(request().withMaxHold(Duration.ofSeconds(20)));
        CompletableFuture<Lease> uncapped = this.registry.acquireAsync(request());
        this.clock.pass(Duration.ofSeconds(5));
        this.old.close();
        LeaseHandle next = (LeaseHandle) capped.get(20, TimeUnit.SECONDS);

        assertThat(next.grant().renewUntil())
                .isEqualTo(this.clock.nanoTime() + Duration.ofSeconds(20).toNanos());
        assertThat(next.release()).isTrue();

        LeaseHandle last = (LeaseHandle) uncapped.get(20, TimeUnit.SECONDS);
        assertThat(last.grant().renewUntil()).isEqualTo(Grant.UNCAPPED);
        assertThat(store().releases()).isZero();
    }

    @Test
    void shouldTellOfTheReleaseTheHandOverAndTheGrant() throws Exception {
        Lease next = handOver();
        eventually().until(() -> this.heard.all().size() == 4);
        String id = store().acquisitionIds().get(0);

        assertThat(this.heard.all())
                .hasExactlyElementsOfTypes(
                        LockAcquiredEvent.class,
                        LockReleasedEvent.class,
                        LockHandedOverEvent.class,
                        LockAcquiredEvent.class);
        assertThat(this.heard.all(LockReleasedEvent.class)).singleElement().satisfies(event -> {
            assertThat(event.fencingToken()).isEqualTo(this.old.fencingToken());
            assertThat(event.outcome()).isEqualTo(LockReleasedEvent.Outcome.RELEASED);
            assertThat(event.heldFor()).isEqualTo(Duration.ofMillis(1));
        });
        assertThat(this.heard.all(LockHandedOverEvent.class))
                .containsExactly(new LockHandedOverEvent(
                        "orders", "42", LockMode.WRITE, next.fencingToken(), id, LockHandedOverEvent.Kind.LOCAL));
        assertThat(this.heard.all(LockAcquiredEvent.class))
                .last()
                .isEqualTo(new LockAcquiredEvent(
                        "orders", "42", LockMode.WRITE, next.fencingToken(), id, Duration.ofMillis(1)));
    }

    @Test
    void shouldServeInTheOrderOfArrival() throws Exception {
        CompletableFuture<Lease> second = this.registry.acquireAsync(request());
        CompletableFuture<Lease> third = this.registry.acquireAsync(request());
        this.clock.pass(Duration.ofMillis(1));

        this.old.close();
        Lease next = second.get(20, TimeUnit.SECONDS);
        assertThat(third).isNotDone();
        next.close();

        assertThat(third.get(20, TimeUnit.SECONDS).fencingToken()).isEqualTo(this.old.fencingToken() + 2);
        assertThat(store().releases()).isZero();
    }
}
