package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.ReleaseReply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A release that puts the next waiter of this JVM at the end of the line, for others stand in it. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its registry
class WaitingLineTest extends PuppetRegistry {

    private static final String OTHER = "other";

    private final EventLog heard = new EventLog();

    private final Gate gate = new Gate();

    private LeasingLockRegistry registry;

    private Lease lease;

    @BeforeEach
    void acquire() throws Exception {
        this.registry =
                registry(seldom(settings(LONG, Duration.ZERO)).withHandOff(NEVER), LeaseClock.SYSTEM, this.heard);
        this.lease = this.registry.acquire(request());
        store().acquire(NAME, OTHER, LONG.toMillis(), true);
        store().mute();
    }

    @AfterEach
    void open() {
        this.gate.open();
    }

    /** The other one, which the lock was handed to, releases it. */
    private ReleaseReply otherReleases() {
        return store().release(NAME, OTHER, 0, null);
    }

    private String successorId() {
        return store().received("release").get(0).successor().acquisitionId();
    }

    private long asked() {
        return store().acquisitionIds().stream()
                .filter(id -> id.equals(successorId()))
                .count();
    }

    private static Lease got(CompletableFuture<Lease> lease) throws Exception {
        return lease.get(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldWaitForTheMessageWithoutAsking() throws Exception {
        CompletableFuture<Lease> waiting = this.registry.acquireAsync(request());

        assertThat(this.lease.release()).isTrue();

        throughout(Duration.ofMillis(300)).until(() -> !waiting.isDone() && asked() == 0);
        assertThat(otherReleases()).isEqualTo(ReleaseReply.RELEASED);
        throughout(Duration.ofMillis(300)).until(() -> !waiting.isDone() && asked() == 0);
        store().sayHandedOver(NAME);

        Lease next = got(waiting);
        assertThat(asked()).isEqualTo(1);
        assertThat(next.fencingToken()).isGreaterThan(this.lease.fencingToken());
        eventually().until(() -> !this.heard.all(LockHandedOverEvent.class).isEmpty());
        assertThat(this.heard.all(LockHandedOverEvent.class))
                .containsExactly(new LockHandedOverEvent(
                        "orders",
                        "42",
                        LockMode.WRITE,
                        next.fencingToken(),
                        successorId(),
                        LockHandedOverEvent.Kind.REMOTE));
        assertThat(next.release()).isTrue();
        assertThat(store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldWaitForTheMessageOnAThread() throws Exception {
        CompletableFuture<Lease> waiting = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            this.registry.getLock(NAME).lock();
            waiting.complete(this.registry.getLock(NAME).currentLease());
            this.gate.pass();
            this.registry.getLock(NAME).unlock();
        });
        waiter.start();
        eventually().until(() -> this.registry.waiting() == 1);
        this.lease.close();
        throughout(Duration.ofMillis(300)).until(() -> !waiting.isDone() && asked() == 0);

        otherReleases();
        store().sayHandedOver(NAME);

        assertThat(got(waiting).isHeld()).isTrue();
        assertThat(asked()).isEqualTo(1);
        this.gate.open();
        waiter.join(20_000);
        assertThat(store().isLocked(NAME)).isFalse();
    }

    /** The message overtakes the answer that says "in line": to wait for another one would be to wait in vain. */
    @Test
    void shouldAskAtOnceWhenTheMessageCameBeforeTheAnswer() throws Exception {
        CompletableFuture<Lease> waiting = this.registry.acquireAsync(request());
        store().onRelease(real -> {
            ReleaseReply reply = real.make();
            this.gate.pass();
            return reply;
        });
        CompletableFuture<Boolean> release = CompletableFuture.supplyAsync(this.lease::release);
        this.gate.awaitSomebody();
        store().onRelease(PuppetStore.Call::make);
        otherReleases();
        store().sayHandedOver(NAME);
        assertThat(asked()).isZero();

        this.gate.open();

        assertThat(release.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(got(waiting).isHeld()).isTrue();
        assertThat(asked()).isEqualTo(1);
    }

    /** After a new subscription everybody looks, for messages may have been missed. */
    @Test
    void shouldAskWhenMessagesMayHaveBeenMissed() throws Exception {
        CompletableFuture<Lease> waiting = this.registry.acquireAsync(request());
        this.lease.close();
        otherReleases();

        store().sayMissedSome();

        assertThat(got(waiting).isHeld()).isTrue();
        eventually().until(() -> this.heard.all().size() >= 3);
        assertThat(this.heard.all(LockHandedOverEvent.class)).isEmpty();
    }

    @Test
    void shouldLeaveTheLineWhenTheLastOneGivesUp() throws Exception {
        CompletableFuture<Lease> first = this.registry.acquireAsync(request());
        CompletableFuture<Lease> second = this.registry.acquireAsync(request());
        this.lease.close();

        first.cancel(false);
        throughout(Duration.ofMillis(200)).until(() -> store().releases() == 1);
        second.cancel(false);

        eventually().until(() -> store().releases() == 2);
        assertThat(store().received("release").get(1).acquisitionId()).isEqualTo(successorId());
        otherReleases();
        assertThat(store().isLocked(NAME)).isFalse();
        throughout(Duration.ofMillis(200)).until(() -> store().releases() == 3);
        assertThat(asked()).isZero();
    }

    /** A lost message costs the poll interval and not more, even if each of those who wait here waits for less. */
    @Test
    void shouldAskAfterThePollIntervalAlthoughEachOneWaitsForLess() throws Exception {
        this.lease.close();
        otherReleases();
        stop();
        Duration poll = Duration.ofMillis(400);
        this.registry = registry(polling(settings(LONG, Duration.ZERO).withHandOff(NEVER), poll), LeaseClock.SYSTEM);
        this.lease = this.registry.acquire(request());
        store().acquire(NAME, OTHER, LONG.toMillis(), true);
        Duration wait = poll.multipliedBy(3).dividedBy(4);
        CompletableFuture<?> unused = this.registry.acquireAsync(request().withWaitTime(wait));
        int before = store().acquisitionIds().size();
        this.lease.close();
        otherReleases();

        for (int i = 0; i < 20 && store().acquisitionIds().size() == before; i++) {
            throughout(wait.dividedBy(2)).until(() -> true);
            unused = this.registry.acquireAsync(request().withWaitTime(wait));
        }

        assertThat(store().acquisitionIds()).hasSizeGreaterThan(before);
    }
}
