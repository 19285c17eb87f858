package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.store.AcquireReply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The acquire that a message sends off before the waiter has woken up. */
class ClaimTest extends PuppetRegistry {

    private static final String HOLDER = "holder";

    private final HandClock clock = new HandClock();

    private final EventLog heard = new EventLog();

    private final CompletableFuture<Void> answers = new CompletableFuture<>();

    private LeasingLockRegistry registry;

    @BeforeEach
    void holdElsewhere() {
        this.registry = registry(seldom(settings(LONG, Duration.ZERO)), this.clock, this.heard);
        store().mute();
        store().acquireAsynchronously();
        store().acquire(NAME, HOLDER, LONG.toMillis(), false);
    }

    private CompletableFuture<Lease> waitInLine() {
        CompletableFuture<Lease> waiting = this.registry.acquireAsync(request().withWaitTime(LONG));
        eventually().until(() -> asked().size() == 1 && store().waits() == 1);
        store().answerLater(this.answers);
        return waiting;
    }

    private List<String> asked() {
        return store().acquisitionIds().stream()
                .filter(id -> !id.equals(HOLDER))
                .toList();
    }

    /** The holder releases, and the message about it comes. */
    private void handOver() {
        store().release(NAME, HOLDER, 0, null);
        store().sayHandedOver(NAME);
    }

    private static Lease got(CompletableFuture<Lease> lease) throws Exception {
        return lease.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldBeSentOnceAndCountFromThen() throws Exception {
        CompletableFuture<Lease> waiting = waitInLine();

        handOver();
        assertThat(asked()).hasSize(2);
        this.clock.pass(Duration.ofSeconds(3));
        throughout(Duration.ofMillis(200)).until(() -> !waiting.isDone() && asked().size() == 2);
        this.answers.complete(null);

        assertThat(got(waiting).remaining()).isEqualTo(Duration.ofSeconds(54 - 3));
        assertThat(asked()).hasSize(2).containsOnly(asked().get(0));
        eventually().until(() -> !this.heard.all(LockHandedOverEvent.class).isEmpty());
        assertThat(this.heard.all(LockHandedOverEvent.class))
                .extracting(LockHandedOverEvent::kind)
                .containsExactly(LockHandedOverEvent.Kind.REMOTE);
        assertThat(got(waiting).release()).isTrue();
        assertThat(store().isLocked(NAME)).isFalse();
    }

    /** The holder releases as soon as the waiter stands in line, before the answer that it does has arrived. */
    @Test
    void shouldCountAHandOverWhoseMessageOvertakesTheAnswer() throws Exception {
        CountDownLatch joined = new CountDownLatch(1);
        store().onAcquire(real -> {
            AcquireReply reply = real.make();
            joined.countDown();
            return reply;
        });
        store().answerLater(this.answers);
        CompletableFuture<Lease> waiting = this.registry.acquireAsync(request().withWaitTime(LONG));
        assertThat(joined.await(20, TimeUnit.SECONDS)).isTrue();

        handOver();
        this.answers.complete(null);

        assertThat(got(waiting).release()).isTrue();
        eventually().until(() -> !this.heard.all(LockReleasedEvent.class).isEmpty());
        assertThat(this.heard.all(LockHandedOverEvent.class))
                .extracting(LockHandedOverEvent::kind)
                .containsExactly(LockHandedOverEvent.Kind.REMOTE);
    }

    @Test
    void shouldNotBeBelievedWhenTheAnswerIsTooLate() throws Exception {
        CompletableFuture<Lease> waiting = waitInLine();
        handOver();

        this.clock.pass(Duration.ofSeconds(54));
        this.answers.complete(null);

        assertThat(got(waiting).remaining()).isEqualTo(Duration.ofSeconds(54));
        assertThat(asked()).hasSize(3).containsOnly(asked().get(0));
    }

    /** The message is wrong, or about an earlier place. */
    @Test
    void shouldLeaveTheWaiterInLineWhenTheLockIsTaken() throws Exception {
        CompletableFuture<Lease> waiting = waitInLine();

        store().sayHandedOver(NAME);
        this.answers.complete(null);
        throughout(Duration.ofMillis(300)).until(() -> !waiting.isDone() && asked().size() <= 3);
        handOver();

        assertThat(got(waiting).release()).isTrue();
        assertThat(asked()).containsOnly(asked().get(0));
        assertThat(store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldNotHoldUpWhoInheritsThePlace() throws Exception {
        CompletableFuture<Lease> first = waitInLine();
        CompletableFuture<Lease> second = this.registry.acquireAsync(request().withWaitTime(LONG));
        handOver();
        // Only the claim is not answered: who inherits asks for himself.
        store().answerLater(CompletableFuture.completedFuture(null));

        first.cancel(false);

        Lease lease = got(second);
        this.answers.complete(null);
        throughout(Duration.ofMillis(100)).until(lease::isHeld);
        assertThat(asked()).containsOnly(asked().get(0));
        assertThat(this.registry.active()).isEqualTo(1);
        assertThat(lease.release()).isTrue();
        assertThat(store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldBeGivenBackWhenNobodyWaitsAnyMore() {
        CompletableFuture<Lease> waiting = waitInLine();
        handOver();

        waiting.cancel(false);
        eventually().until(() -> this.registry.waiting() == 0);
        this.answers.complete(null);

        eventually().until(() -> !store().isLocked(NAME));
        assertThat(this.registry.active()).isZero();
    }

    @Test
    void shouldBeAskedAgainWhenThereWasNoAnswer() throws Exception {
        CompletableFuture<Lease> waiting = waitInLine();
        store().onAcquire(real -> {
            store().onAcquire(PuppetStore.Call::make);
            real.make();
            throw Failures.unanswered();
        });
        handOver();

        this.answers.complete(null);

        assertThat(got(waiting).release()).isTrue();
        assertThat(asked()).hasSize(3).containsOnly(asked().get(0));
        assertThat(store().isLocked(NAME)).isFalse();
    }
}
