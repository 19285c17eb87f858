package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.AcquireReply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Releases whose answer is lost, and with it what became of the next waiter whom they took along. */
class UnknownReleaseTest extends PuppetRegistry {

    private final EventLog heard = new EventLog();

    private LeasingLockRegistry registry;

    private Lease lease;

    private CompletableFuture<Lease> waiting;

    @BeforeEach
    void acquire() throws Exception {
        this.registry = registry(settings(LONG, Duration.ZERO).withHandOff(NEVER), LeaseClock.SYSTEM, this.heard);
        this.lease = this.registry.acquire(request());
        this.waiting = this.registry.acquireAsync(request());
    }

    /** The next release is executed or not, but nobody hears of it. */
    private void loseReply(boolean executed) {
        store().onRelease(real -> {
            store().onRelease(PuppetStore.Call::make);
            if (executed) {
                real.make();
            }
            throw Failures.unanswered();
        });
    }

    private String successorId() {
        return store().received("release").get(0).successor().acquisitionId();
    }

    /** Nobody owns the lock any more, nor stands in its line, nor comes back. */
    private void shouldBeFree() {
        eventually().until(() -> !store().isLocked(NAME));
        assertThat(store().acquire(NAME, "somebody", LONG.toMillis(), false)).isInstanceOf(AcquireReply.Granted.class);
        throughout(Duration.ofMillis(300)).until(() -> store().isLocked(NAME));
        store().release(NAME, "somebody", 0, null);
        assertThat(store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldFindOutThatTheLockWasKept() throws Exception {
        loseReply(true);

        assertThat(this.lease.release()).isTrue();

        Lease next = this.waiting.get(20, TimeUnit.SECONDS);
        assertThat(store().acquisitionIds()).last().isEqualTo(successorId());
        assertThat(next.fencingToken()).isGreaterThan(this.lease.fencingToken());
        assertThat(this.registry.active()).isEqualTo(1);
        eventually().until(() -> this.heard.all(LockReleasedEvent.class).size() == 1);
        assertThat(this.heard.all(LockReleasedEvent.class).get(0).outcome()).isEqualTo(LockReleasedEvent.Outcome.ERROR);
        assertThat(next.release()).isTrue();
        shouldBeFree();
    }

    @Test
    void shouldFindOutThatNothingWasReleased() throws Exception {
        loseReply(false);

        assertThat(this.lease.release()).isTrue();

        Lease next = this.waiting.get(20, TimeUnit.SECONDS);
        assertThat(store().acquisitionIds()).contains(successorId());
        assertThat(next.isHeld()).isTrue();
        assertThat(next.release()).isTrue();
        shouldBeFree();
    }

    @Test
    void shouldGiveBackWhatNobodyWaitsForAnyMore() {
        store().onRelease(real -> {
            store().onRelease(PuppetStore.Call::make);
            real.make();
            this.waiting.cancel(false);
            eventually().until(() -> this.registry.waiting() == 0);
            throw Failures.unanswered();
        });

        assertThat(this.lease.release()).isTrue();

        shouldBeFree();
        assertThat(this.registry.active()).isZero();
    }

    /** Repeated after an interrupt, the release finds that the next one has the lock already. */
    @Test
    void shouldNotTakeItsOwnSuccessorForSomebodyElse() throws Exception {
        store().onRelease(real -> {
            store().onRelease(PuppetStore.Call::make);
            real.make();
            Thread.currentThread().interrupt();
            throw Failures.unanswered();
        });

        assertThat(this.lease.release()).isTrue();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(this.waiting.get(20, TimeUnit.SECONDS).release()).isTrue();
        eventually().until(() -> this.heard.all(LockReleasedEvent.class).size() == 2);
        assertThat(this.heard.all(LockReleasedEvent.class))
                .extracting(LockReleasedEvent::outcome)
                .containsOnly(LockReleasedEvent.Outcome.RELEASED);
        shouldBeFree();
    }

    @Test
    void shouldTellTheLossAndLetTheNextOneAsk() throws Exception {
        assertThat(store().forceRelease(NAME)).isTrue();
        store().acquire(NAME, "somebody", 400, false);

        assertThat(this.lease.release()).isFalse();

        assertThat(this.waiting.get(20, TimeUnit.SECONDS).release()).isTrue();
        eventually().until(() -> this.heard.all(LockReleasedEvent.class).size() == 2);
        assertThat(this.heard.all(LockReleasedEvent.class))
                .extracting(LockReleasedEvent::outcome)
                .containsExactly(LockReleasedEvent.Outcome.LOST, LockReleasedEvent.Outcome.RELEASED);
    }
}
