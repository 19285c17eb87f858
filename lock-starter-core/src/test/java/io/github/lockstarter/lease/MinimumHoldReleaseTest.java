package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockReleasedEvent.Outcome;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.ReleaseReply;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A release before the end of the minimum hold, with answers that are lost and commands that are late. */
class MinimumHoldReleaseTest extends PuppetRegistry {

    private static final Duration SHORT = Duration.ofMillis(30);

    private final EventLog heard = new EventLog();

    @AfterEach
    void clearFlag() {
        boolean unused = Thread.interrupted();
    }

    private LeasingLockRegistry registry() {
        return registry(settings(LONG, Duration.ZERO), LeaseClock.SYSTEM, this.heard);
    }

    private void assertThatItWasReleasedAndNotLost() {
        eventually().until(() -> this.heard.count(LockReleasedEvent.class) == 1);
        assertThat(this.heard.all(LockReleasedEvent.class).get(0).outcome()).isEqualTo(Outcome.RELEASED);
        assertThat(this.heard.all(LockLostEvent.class)).isEmpty();
    }

    /** The answer is lost by an interrupt, and the repetition finds the lock expired. */
    @Test
    void shouldNotTakeTheAnswerToARepetitionForALoss() throws Exception {
        Lease lease = registry().acquire(request());
        store().onKeep(real -> {
            store().onKeep(PuppetStore.Call::make);
            real.make();
            eventually().until(() -> !store().isLocked(NAME));
            Thread.currentThread().interrupt();
            throw Failures.unanswered();
        });

        assertThat(lease.releaseAfter(SHORT)).isTrue();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
        assertThatItWasReleasedAndNotLost();
    }

    /** The client repeated the command by itself, and the answer is that to the second execution. */
    @Test
    void shouldNotTakeAnAnswerThatProvesNothingForALoss() throws Exception {
        Lease lease = registry().acquire(request());
        store().onKeep(real -> {
            real.make();
            return ReleaseReply.UNPROVEN;
        });

        assertThat(lease.releaseAfter(SHORT)).isTrue();

        assertThatItWasReleasedAndNotLost();
    }

    @Test
    void shouldTakeBackALateAttemptThatFindsTheLockExpired() throws Exception {
        AtomicReference<PuppetStore.Call<AcquireReply>> late = new AtomicReference<>();
        store().onAcquire(real -> {
            store().onAcquire(PuppetStore.Call::make);
            late.set(real);
            throw Failures.unanswered();
        });
        Lease lease = registry().acquire(request());
        assertThat(lease.releaseAfter(SHORT)).isTrue();
        eventually().until(() -> !store().isLocked(NAME));

        late.get().make();

        eventually().until(() -> !store().isLocked(NAME));
    }

    @Test
    void shouldNotEndTheMinimumHoldByTakingBackALateAttempt() throws Exception {
        store().onAcquire(real -> {
            store().onAcquire(PuppetStore.Call::make);
            throw Failures.unanswered();
        });
        Lease lease = registry().acquire(request());

        assertThat(lease.releaseAfter(LONG)).isTrue();

        eventually().until(() -> store().releases() > 1);
        assertThat(store().isLocked(NAME)).isTrue();
    }

    @Test
    void shouldNotBeLostWhenARenewalComesLate() throws Exception {
        Gate gate = new Gate();
        store().onRenew((renewals, real) -> {
            gate.pass();
            real.run();
        });
        Lease lease = registry(settings(TIMEOUT.multipliedBy(2), Duration.ZERO), LeaseClock.SYSTEM, this.heard)
                .acquire(request());
        gate.awaitSomebody();

        assertThat(lease.releaseAfter(LONG)).isTrue();
        gate.open();

        assertThat(store().isLocked(NAME)).isTrue();
        throughout(Duration.ofMillis(100))
                .until(() -> this.heard.count(LockLostEvent.class) == 0
                        && this.heard.count(LockRenewalFailedEvent.class) == 0);
        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
    }
}
