package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.ReleaseReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Giving a lease back, with a store that does not play along. */
class ReleaseTest extends PuppetRegistry {

    private final Gate gate = new Gate();

    private final List<LockReleasedEvent> released = new CopyOnWriteArrayList<>();

    private final LockListener listener = new LockListener() {
        @Override
        public void released(LockReleasedEvent event) {
            ReleaseTest.this.released.add(event);
        }
    };

    @AfterEach
    void open() {
        this.gate.open();
        Thread.interrupted();
    }

    @Test
    void shouldGoOnInTheBackgroundWhenTheStoreDoesNotAnswer() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG, Duration.ZERO), LeaseClock.SYSTEM, this.listener);
        Lease lease = registry.acquire(request());
        AtomicInteger failures = new AtomicInteger(3);
        store().onRelease(real -> {
            if (failures.getAndDecrement() > 0) {
                throw Failures.unanswered();
            }
            return real.make();
        });

        assertThat(lease.release()).isTrue();

        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
        eventually().until(() -> !store().isLocked(NAME));
        assertThat(this.released).singleElement().satisfies(event -> {
            assertThat(event.outcome()).isEqualTo(LockReleasedEvent.Outcome.ERROR);
            assertThat(event.cause()).isInstanceOf(RuntimeException.class);
        });
    }

    /** Executed twice, the second time finds nothing: that is no loss. */
    @Test
    void shouldNotTakeItsOwnRepetitionForALoss() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG, Duration.ZERO), LeaseClock.SYSTEM, this.listener);
        Lease lease = registry.acquire(request());
        AtomicInteger calls = new AtomicInteger();
        store().onRelease(real -> {
            ReleaseReply reply = real.make();
            if (calls.incrementAndGet() == 1) {
                Thread.currentThread().interrupt();
                throw Failures.unanswered();
            }
            return reply;
        });

        assertThat(lease.release()).isTrue();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(calls).hasValue(2);
        eventually().until(() -> !this.released.isEmpty());
        assertThat(this.released)
                .singleElement()
                .satisfies(event -> assertThat(event.outcome()).isEqualTo(LockReleasedEvent.Outcome.RELEASED));
    }

    @Test
    void shouldEndRenewalBeforeItAsksTheStore() throws Exception {
        LeasingLockRegistry registry = registry(this.listener);
        Lease lease = registry.acquire(request());
        eventually().until(() -> store().renewals() > 0);
        store().onRelease(real -> {
            this.gate.pass();
            return real.make();
        });
        CompletableFuture<Boolean> end = CompletableFuture.supplyAsync(lease::release);
        this.gate.awaitSomebody();
        int renewals = store().renewals();

        throughout(Duration.ofMillis(700)).until(() -> store().renewals() == renewals);
        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(registry.active()).isEqualTo(1);
        this.gate.open();

        assertThat(end.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldLetTheNextOneInOnlyWhenTheStoreHasAnswered() throws Exception {
        LeasingLockRegistry registry = registry(settings(TIMEOUT, Duration.ZERO).withHandOff(NEVER), LeaseClock.SYSTEM);
        Lease lease = registry.acquire(request());
        CompletableFuture<Lease> next = registry.acquireAsync(request());
        store().onRelease(real -> {
            this.gate.pass();
            return real.make();
        });
        CompletableFuture<Boolean> end = CompletableFuture.supplyAsync(lease::release);
        this.gate.awaitSomebody();

        throughout(Duration.ofMillis(200))
                .until(() -> !next.isDone() && store().acquisitionIds().size() == 1);
        this.gate.open();

        assertThat(end.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(next.get(20, TimeUnit.SECONDS).release()).isTrue();
    }

    /** Somebody asks to be told of a loss while the release is about to find one. */
    @Test
    void shouldReportALossToThoseWhoAskDuringTheRelease() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG, Duration.ZERO), LeaseClock.SYSTEM);
        Lease lease = registry.acquire(request());
        store().forceRelease(NAME);
        store().onRelease(real -> {
            this.gate.pass();
            return real.make();
        });
        CompletableFuture<Boolean> end = CompletableFuture.supplyAsync(lease::release);
        this.gate.awaitSomebody();

        CompletableFuture<LossReason> lost = lease.lost().toCompletableFuture();
        this.gate.open();

        assertThat(end.get(20, TimeUnit.SECONDS)).isFalse();
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(lost.get(5, TimeUnit.SECONDS)).isEqualTo(LossReason.DELETED);
    }
}
