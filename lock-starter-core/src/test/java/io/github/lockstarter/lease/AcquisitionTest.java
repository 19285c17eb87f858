package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.store.AcquireReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a call asks again, and what it says when its wait is over. */
class AcquisitionTest {

    private static final LockRequest REQUEST = LockRequest.of("orders:42");

    private static final Duration POLL = Duration.ofMillis(500);

    private final HandClock clock = new HandClock();

    private final PuppetStore store = new PuppetStore();

    private final LockEngine engine = new LockEngine(
            this.clock,
            this.store,
            LockSettings.of(
                    Duration.ofSeconds(10),
                    OnLost.THROW,
                    Duration.ofSeconds(30),
                    null,
                    null,
                    null,
                    POLL,
                    Duration.ZERO),
            null,
            List.of(),
            null,
            new ThreadHolds());

    private final Turn turn = this.engine.queues().enter("orders:42", null);

    @AfterEach
    void stop() {
        this.engine.stop();
    }

    private Acquisition acquisition(Duration waitTime) {
        return this.engine.acquisition(REQUEST, waitTime, null);
    }

    private void reply(AcquireReply reply) {
        this.store.onAcquire(real -> reply);
    }

    private void fail(LockStoreException failure) {
        this.store.onAcquire(real -> {
            throw failure;
        });
    }

    private Duration pauseAfterAttempt(Acquisition acquisition) {
        assertThat(acquisition.attempt(this.turn)).isNull();
        return Duration.ofNanos(acquisition.pause());
    }

    @Test
    void shouldAskAgainWhenTheHoldersLeaseHasRunOut() {
        reply(new AcquireReply.Taken(200));
        Acquisition acquisition = acquisition(LockRequest.FOREVER);

        for (int i = 0; i < 200; i++) {
            assertThat(pauseAfterAttempt(acquisition)).isBetween(Duration.ofMillis(200), Duration.ofMillis(220));
        }
    }

    @Test
    void shouldAskAtThePollIntervalWhenTheHolderHasMoreTime() {
        Acquisition acquisition = acquisition(LockRequest.FOREVER);

        for (long remaining : List.of(500L, 30_000L, Long.MAX_VALUE)) {
            reply(new AcquireReply.Taken(remaining));
            for (int i = 0; i < 100; i++) {
                assertThat(pauseAfterAttempt(acquisition)).isBetween(Duration.ofMillis(400), POLL);
            }
        }
    }

    @Test
    void shouldNotPauseBeyondTheDeadline() {
        reply(new AcquireReply.Taken(30_000));
        Acquisition acquisition = acquisition(Duration.ofMillis(600));
        assertThat(pauseAfterAttempt(acquisition)).isBetween(Duration.ofMillis(400), POLL);

        this.clock.pass(Duration.ofMillis(550));
        assertThat(pauseAfterAttempt(acquisition)).isEqualTo(Duration.ofMillis(50));
        assertThat(acquisition.remaining()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
        this.clock.pass(Duration.ofMillis(50));

        assertThat(acquisition.remaining()).isZero();
        assertThat(acquisition(Duration.ZERO).remaining()).isZero();
        assertThat(acquisition(LockRequest.FOREVER).remaining()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void shouldAskMoreSeldomAfterEachFailure() {
        fail(Failures.refused());
        Acquisition acquisition = acquisition(LockRequest.FOREVER);

        for (long millis : List.of(50, 100, 200, 400, 500, 500, 500)) {
            assertThat(pauseAfterAttempt(acquisition))
                    .isBetween(Duration.ofMillis(millis * 8 / 10), Duration.ofMillis(millis));
        }
        for (int i = 0; i < 100; i++) {
            assertThat(pauseAfterAttempt(acquisition)).isBetween(Duration.ofMillis(400), POLL);
        }
        reply(new AcquireReply.Taken(10));
        assertThat(pauseAfterAttempt(acquisition)).isBetween(Duration.ofMillis(10), Duration.ofMillis(30));
        fail(Failures.refused());
        assertThat(pauseAfterAttempt(acquisition)).isLessThanOrEqualTo(Duration.ofMillis(50));
    }

    @Test
    void shouldKnowWhenWaitingDoesNotHelp() {
        Acquisition acquisition = acquisition(LockRequest.FOREVER);
        fail(Failures.refused());
        assertThat(acquisition.attempt(this.turn)).isNull();
        assertThat(acquisition.isHopeless()).isFalse();

        fail(Failures.hopeless());
        assertThat(acquisition.attempt(this.turn)).isNull();
        assertThat(acquisition.isHopeless()).isTrue();

        reply(new AcquireReply.Taken(10));
        assertThat(acquisition.attempt(this.turn)).isNull();
        assertThat(acquisition.isHopeless()).isFalse();
    }

    @Test
    void shouldAskWithTheSameIdEachTime() {
        fail(Failures.unanswered());
        Acquisition acquisition = acquisition(LockRequest.FOREVER);
        assertThat(acquisition.attempt(this.turn)).isNull();
        assertThat(acquisition.attempt(this.turn)).isNull();

        assertThat(this.store.acquisitionIds())
                .containsExactly(acquisitionId(this.turn), acquisitionId(this.turn))
                .doesNotContain(acquisitionId(this.engine.queues().enter("orders:43", null)));
    }

    /** The place in the line is the JVM's: who comes next asks from it, under the same id. */
    @Test
    void shouldAskWithTheIdOfWhoGaveUpBefore() {
        reply(new AcquireReply.Taken(10));
        Acquisition first = acquisition(LockRequest.FOREVER);
        assertThat(first.attempt(this.turn)).isNull();
        Turn next = this.engine.queues().enter("orders:42", acquisition(Duration.ZERO));

        first.passOn(this.turn);
        assertThat(acquisition(Duration.ZERO).attempt(next)).isNull();

        assertThat(next).isDone();
        assertThat(this.store.acquisitionIds()).hasSize(2).containsOnly(acquisitionId(next));
        assertThat(this.store.releases()).isZero();
    }

    private static String acquisitionId(Turn turn) {
        return turn.place().acquisitionId();
    }

    @Test
    void shouldSayWhetherAnybodyAnswered() {
        Acquisition acquisition = acquisition(Duration.ZERO);
        reply(new AcquireReply.Taken(10));
        assertThat(acquisition.attempt(this.turn)).isNull();
        this.clock.pass(Duration.ofMillis(7));
        assertThat(refusal(acquisition, "Tried once.")).satisfies(refusal -> {
            assertThat(refusal.lockName()).isEqualTo("orders:42");
            assertThat(refusal.waited()).as("for the answer").isEqualTo(Duration.ofMillis(7));
            assertThat(refusal.waitTime()).isEqualTo(Duration.ZERO);
        });

        fail(Failures.unanswered());
        assertThat(acquisition.attempt(this.turn)).isNull();
        fail(Failures.refused());
        assertThat(acquisition.attempt(this.turn)).isNull();

        LockException failure = acquisition.giveUp();
        assertThat(failure).isInstanceOfSatisfying(LockStoreException.class, ex -> {
            // the last attempt was refused, but the one before may have been executed
            assertThat(ex.isOutcomeUnknown()).isTrue();
            assertThat(ex.isTransient()).isTrue();
            assertThat(ex).hasMessageContaining("refused");
        });
    }

    @Test
    void shouldTellHowLongItWaitedAndHowLongItWouldHave() {
        reply(new AcquireReply.Taken(10));
        Acquisition acquisition = acquisition(Duration.ofMillis(600));
        Acquisition endless = acquisition(LockRequest.FOREVER);
        assertThat(acquisition.attempt(this.turn)).isNull();
        assertThat(endless.attempt(this.turn)).isNull();
        this.clock.pass(Duration.ofMillis(605));

        LockNotGrantedException refusal = refusal(acquisition, "Gave up after 605 ms.");
        assertThat(refusal.waited()).isEqualTo(Duration.ofMillis(605));
        assertThat(refusal.waitTime()).isEqualTo(Duration.ofMillis(600));
        assertThat(refusal(endless, "Gave up after 605 ms.").waitTime()).isEqualTo(LockRequest.FOREVER);
    }

    private static LockNotGrantedException refusal(Acquisition acquisition, String effort) {
        LockException failure = acquisition.giveUp();
        assertThat(failure)
                .isInstanceOf(LockNotGrantedException.class)
                .hasMessage("Lock 'orders:42' is held by somebody else. " + effort
                        + " A longer wait time helps, or a shorter hold. A lease counts as well that the caller holds"
                        + " itself.");
        return (LockNotGrantedException) failure;
    }

    @Test
    void shouldNotBelieveInAGrantThatCameTooLate() {
        this.store.onAcquire(real -> {
            AcquireReply reply = real.make();
            this.clock.pass(Duration.ofMillis(900));
            return reply;
        });
        Acquisition acquisition =
                this.engine.acquisition(REQUEST.withLease(Duration.ofSeconds(1)), LockRequest.FOREVER, null);

        assertThat(acquisition.attempt(this.turn)).isNull();

        assertThat(acquisition.isHopeless()).isFalse();
        assertThat(acquisition.giveUp())
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        ex -> assertThat(ex.isOutcomeUnknown()).isTrue());
        this.store.onAcquire(PuppetStore.Call::make);
        Grant grant = acquisition.attempt(this.turn);
        assertThat(grant).isNotNull();
        assertThat(this.engine.releaser().release(grant)).isTrue();
    }
}
