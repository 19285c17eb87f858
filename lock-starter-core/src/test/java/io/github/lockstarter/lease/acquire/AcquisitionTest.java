package io.github.lockstarter.lease.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.lease.Failures;
import io.github.lockstarter.lease.PuppetStore;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.store.AcquireReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a call asks again, and what it says when its wait is over. */
class AcquisitionTest extends AcquisitionFixture {

    private void reply(AcquireReply reply) {
        this.store.onAcquire(real -> reply);
    }

    private void fail(LockStoreException failure) {
        this.store.onAcquire(real -> {
            throw failure;
        });
    }

    private Duration pauseAfterAttempt(Acquisition acquisition) {
        assertThat(attempt(acquisition)).isNull();
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
        assertThat(attempt(acquisition)).isNull();
        assertThat(acquisition.isHopeless()).isFalse();

        fail(Failures.hopeless());
        assertThat(attempt(acquisition)).isNull();
        assertThat(acquisition.isHopeless()).isTrue();

        reply(new AcquireReply.Taken(10));
        assertThat(attempt(acquisition)).isNull();
        assertThat(acquisition.isHopeless()).isFalse();
    }

    @Test
    void shouldAskWithTheSameIdEachTime() {
        fail(Failures.unanswered());
        Acquisition acquisition = acquisition(LockRequest.FOREVER);
        assertThat(attempt(acquisition)).isNull();
        assertThat(attempt(acquisition)).isNull();

        assertThat(this.store.acquisitionIds())
                .containsExactly(acquisitionId(this.node), acquisitionId(this.node))
                .doesNotContain(acquisitionId(this.queues.enter("orders:43", null)));
    }

    /** The place in the line is the JVM's: who comes next asks from it, under the same id. */
    @Test
    void shouldAskWithTheIdOfWhoGaveUpBefore() {
        reply(new AcquireReply.Taken(10));
        Acquisition first = acquisition(LockRequest.FOREVER);
        assertThat(attempt(first)).isNull();
        QueueNode<Grant> next = this.queues.enter("orders:42", acquisition(Duration.ZERO));

        this.queues.leave(this.node, this.node.ticket());
        assertThat(this.attempts.now(acquisition(Duration.ZERO), next)).isNull();

        assertThat(next).isDone();
        assertThat(this.store.acquisitionIds()).hasSize(2).containsOnly(acquisitionId(next));
    }

    private static String acquisitionId(QueueNode<Grant> node) {
        return node.ticket().acquisitionId();
    }

    @Test
    void shouldSayWhetherAnybodyAnswered() {
        Acquisition acquisition = acquisition(Duration.ZERO);
        reply(new AcquireReply.Taken(10));
        assertThat(attempt(acquisition)).isNull();
        this.clock.pass(Duration.ofMillis(7));
        assertThat(refusal(acquisition, "Tried once.")).satisfies(refusal -> {
            assertThat(refusal.lockName()).isEqualTo("orders:42");
            assertThat(refusal.waited()).as("for the answer").isEqualTo(Duration.ofMillis(7));
            assertThat(refusal.waitTime()).isEqualTo(Duration.ZERO);
        });

        fail(Failures.unanswered());
        assertThat(attempt(acquisition)).isNull();
        fail(Failures.refused());
        assertThat(attempt(acquisition)).isNull();

        LockException failure = this.reports.gaveUp(acquisition);
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
        assertThat(attempt(acquisition)).isNull();
        assertThat(attempt(endless)).isNull();
        this.clock.pass(Duration.ofMillis(605));

        LockNotGrantedException refusal = refusal(acquisition, "Gave up after 605 ms.");
        assertThat(refusal.waited()).isEqualTo(Duration.ofMillis(605));
        assertThat(refusal.waitTime()).isEqualTo(Duration.ofMillis(600));
        assertThat(refusal(endless, "Gave up after 605 ms.").waitTime()).isEqualTo(LockRequest.FOREVER);
    }

    private LockNotGrantedException refusal(Acquisition acquisition, String effort) {
        LockException failure = this.reports.gaveUp(acquisition);
        assertThat(failure)
                .isInstanceOf(LockNotGrantedException.class)
                .hasMessageContainingAll("orders:42", "another owner", effort, "another lease of the caller");
        return (LockNotGrantedException) failure;
    }

    @Test
    void shouldNotBelieveInAGrantThatCameTooLate() {
        this.store.onAcquire(real -> {
            AcquireReply reply = real.make();
            this.clock.pass(Duration.ofMillis(900));
            return reply;
        });
        Acquisition acquisition = acquisition(REQUEST.withLease(Duration.ofSeconds(1)), LockRequest.FOREVER);

        assertThat(attempt(acquisition)).isNull();

        assertThat(acquisition.isHopeless()).isFalse();
        assertThat(this.reports.gaveUp(acquisition))
                .isInstanceOfSatisfying(
                        LockStoreException.class,
                        ex -> assertThat(ex.isOutcomeUnknown()).isTrue());
        this.store.onAcquire(PuppetStore.Call::make);
        Grant grant = attempt(acquisition);
        assertThat(grant).isNotNull();
        assertThat(grant.isLive()).isTrue();
    }
}
