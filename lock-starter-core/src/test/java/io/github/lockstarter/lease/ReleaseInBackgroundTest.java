package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.lease.grant.Grants;
import io.github.lockstarter.lease.release.LeaseHandle;
import io.github.lockstarter.lease.settings.ReleaseMode;
import io.github.lockstarter.lease.support.LeaseClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Releases that don't wait for the answer. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its registry
class ReleaseInBackgroundTest extends PuppetRegistry {

    private final EventLog heard = new EventLog();

    private final CompletableFuture<Void> answers = new CompletableFuture<>();

    private LeasingLockRegistry registry;

    private Lease lease;

    @BeforeEach
    void acquire() throws Exception {
        this.registry = registry(
                seldom(settings(LONG, Duration.ofSeconds(3)))
                        .withHandOff(NEVER)
                        .withReleaseMode(ReleaseMode.BACKGROUND),
                LeaseClock.SYSTEM,
                this.heard);
        this.lease = this.registry.acquire(request());
        store().answerLater(this.answers);
    }

    private LockReleasedEvent released() {
        eventually().until(() -> !this.heard.all(LockReleasedEvent.class).isEmpty());
        return this.heard.all(LockReleasedEvent.class).get(0);
    }

    @Test
    void shouldReturnBeforeTheAnswer() {
        assertThat(this.lease.release()).isTrue();

        assertThat(this.lease.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(store().isLocked(NAME)).isFalse();
        assertThat(this.registry.active()).isEqualTo(1);
        throughout(Duration.ofMillis(200))
                .until(() -> this.heard.all(LockReleasedEvent.class).isEmpty());
        this.answers.complete(null);

        assertThat(released().outcome()).isEqualTo(LockReleasedEvent.Outcome.RELEASED);
        assertThat(this.registry.active()).isZero();
        assertThat(this.lease.release()).isTrue();
        assertThat(store().releases()).isEqualTo(1);
    }

    @Test
    void shouldUnlockBeforeTheAnswer() {
        LockRequest another = LockRequest.of("orders:43");
        this.registry.getLock(another.lockName()).lock();

        this.registry.getLock(another.lockName()).unlock();

        assertThat(this.registry.getLock(another.lockName()).isHeldByCurrentThread())
                .isFalse();
        assertThat(this.registry.getLock(another.lockName()).isLocked()).isFalse();
        assertThat(this.registry.active()).isEqualTo(2);
        this.answers.complete(null);
        assertThat(this.registry.active()).isEqualTo(1);
    }

    @Test
    void shouldTellListenersOfALossThatTheAnswerBrings() throws Exception {
        CompletableFuture<LossReason> lost = this.lease.lost().toCompletableFuture();
        assertThat(store().forceRelease(NAME)).isTrue();

        assertThat(this.lease.release()).isTrue();
        assertThat(lost).isNotDone();
        this.answers.complete(null);

        assertThat(released().outcome()).isEqualTo(LockReleasedEvent.Outcome.LOST);
        assertThat(this.heard.all())
                .hasExactlyElementsOfTypes(LockAcquiredEvent.class, LockLostEvent.class, LockReleasedEvent.class);
        assertThat(lost.get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.DELETED);
        assertThat(this.lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(this.lease.release()).isFalse();
        assertThat(this.registry.active()).isZero();
    }

    @Test
    void shouldTellAtOnceOfALossThatIsKnown() {
        Grants.lose(((LeaseHandle) this.lease).grant(), LossReason.TAKEN_OVER);

        assertThat(this.lease.release()).isFalse();

        assertThat(released().outcome()).isEqualTo(LockReleasedEvent.Outcome.LOST);
    }

    /** The store executes what comes later after the release, whose answer nobody need wait for. */
    @Test
    void shouldLetTheNextOneAskAfterTheRelease() throws Exception {
        this.lease.close();

        Lease next = this.registry.acquire(request().withWaitTime(Duration.ZERO));

        assertThat(next.fencingToken()).isGreaterThan(this.lease.fencingToken());
        assertThat(store().received())
                .extracting(PuppetStore.Received::operation)
                .containsExactly("acquire", "release", "acquire");
        this.answers.complete(null);
        assertThat(next.isHeld()).isTrue();
        assertThat(this.registry.active()).isEqualTo(1);
    }

    @Test
    void shouldLetWhoWaitsAlreadyHaveItWithTheAnswer() throws Exception {
        CompletableFuture<Lease> waiting = this.registry.acquireAsync(request());
        this.lease.close();
        throughout(Duration.ofMillis(200)).until(() -> !waiting.isDone());

        this.answers.complete(null);

        assertThat(waiting.get(20, TimeUnit.SECONDS).isHeld()).isTrue();
        assertThat(store().received()).hasSize(2);
        eventually().until(() -> this.registry.active() == 1);
    }

    /** Somebody else comes while the answer is on its way: behind the one who was there before. */
    @Test
    void shouldNotLetLatecomersPast() throws Exception {
        CompletableFuture<Lease> first = this.registry.acquireAsync(request());
        this.lease.close();
        CompletableFuture<Lease> second = this.registry.acquireAsync(request());

        this.answers.complete(null);

        Lease lease = first.get(20, TimeUnit.SECONDS);
        assertThat(second).isNotDone();
        lease.close();
        assertThat(second.get(20, TimeUnit.SECONDS).isHeld()).isTrue();
    }

    @Test
    void shouldGoOnWhenThereIsNoAnswer() {
        store().onRelease(real -> {
            store().onRelease(PuppetStore.Call::make);
            throw Failures.unanswered();
        });

        assertThat(this.lease.release()).isTrue();
        assertThat(store().isLocked(NAME)).isTrue();
        this.answers.complete(null);

        assertThat(released().outcome()).isEqualTo(LockReleasedEvent.Outcome.ERROR);
        assertThat(released().cause()).hasMessage("unanswered");
        eventually().until(() -> !store().isLocked(NAME));
        assertThat(this.registry.active()).isZero();
        assertThat(this.lease.state()).isEqualTo(Lease.State.RELEASED);
    }

    @Test
    void shouldWaitForTheAnswerBeforeItStops() throws Exception {
        this.lease.close();
        CompletableFuture<Void> stop = CompletableFuture.runAsync(this.registry::stop);

        throughout(Duration.ofMillis(300)).until(() -> !stop.isDone());
        this.answers.complete(null);

        stop.get(15, TimeUnit.SECONDS);
        assertThat(released().outcome()).isEqualTo(LockReleasedEvent.Outcome.RELEASED);
    }
}
