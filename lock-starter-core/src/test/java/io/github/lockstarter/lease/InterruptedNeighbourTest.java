package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.lease.support.LeaseClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A thread that is interrupted while it asks the store: to the others of this JVM nothing has failed. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its registry
class InterruptedNeighbourTest extends PuppetRegistry {

    private static final String HOLDER = "holder";

    private static final Duration SHORT = Duration.ofMillis(150);

    private final Gate asksAgain = new Gate();

    private LeasingLockRegistry registry;

    @BeforeEach
    void holdElsewhere() {
        this.registry = registry(polling(settings(LONG, Duration.ZERO), Duration.ofMillis(20)), LeaseClock.SYSTEM);
        store().acquire(NAME, HOLDER, LONG.toMillis(), false);
    }

    @AfterEach
    void open() {
        this.asksAgain.open();
    }

    private interface Body {
        void run() throws InterruptedException;
    }

    private static CompletableFuture<Throwable> thread(Body body) {
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                body.run();
                ended.complete(new AssertionError("no failure"));
            } catch (Throwable ex) {
                ended.complete(ex);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return ended;
    }

    /** Interrupts the thread that asks next while it waits for the answer; who asks after that waits for its answer. */
    private void interruptNextAsk() {
        AtomicInteger asked = new AtomicInteger();
        store().onAcquire(real -> {
            if (asked.incrementAndGet() == 1) {
                real.make();
                Thread.currentThread().interrupt();
                throw Failures.unanswered();
            }
            this.asksAgain.pass();
            return real.make();
        });
    }

    private void awaitWaiting(int count) {
        eventually().until(() -> this.registry.waiting() == count);
    }

    @Test
    void shouldNotBeAFailureOfTheStoreToWhoWaitsBehindAThreadThatCannotBeInterrupted() throws Exception {
        CompletableFuture<Throwable> first =
                thread(() -> this.registry.getLock(NAME).lock());
        awaitWaiting(1);
        CompletableFuture<Throwable> second = thread(
                () -> this.registry.acquire(request().withWaitTime(SHORT)).release());
        awaitWaiting(2);

        interruptNextAsk();
        this.asksAgain.awaitSomebody();

        assertThat(second.get(20, TimeUnit.SECONDS)).isInstanceOf(LockNotGrantedException.class);
        assertThat(first).isNotDone();
    }

    /** The store says that the lock is free; the interrupt is no reason why the first waiter does not have it. */
    @Test
    void shouldNotBeAFailureOfTheStoreWhenTheLockIsFree() throws Exception {
        CompletableFuture<Throwable> first =
                thread(() -> this.registry.getLock(NAME).lock());
        awaitWaiting(1);
        CompletableFuture<Throwable> second = thread(
                () -> this.registry.acquire(request().withWaitTime(SHORT)).release());
        awaitWaiting(2);

        interruptNextAsk();
        this.asksAgain.awaitSomebody();
        store().release(NAME, HOLDER, 0, null);
        store().release(NAME, store().acquisitionIds().get(1), 0, null);
        assertThat(store().isLocked(NAME)).isFalse();

        assertThat(second.get(20, TimeUnit.SECONDS)).isInstanceOf(LockNotGrantedException.class);
        assertThat(first).isNotDone();
    }

    @Test
    void shouldNotBeAFailureOfTheStoreToWhoInheritsThePlace() throws Exception {
        CompletableFuture<Throwable> first =
                thread(() -> this.registry.acquire(request().withWaitTime(LONG)).release());
        awaitWaiting(1);
        CompletableFuture<Throwable> second =
                thread(() -> this.registry.getLock(NAME).lock());
        awaitWaiting(2);
        CompletableFuture<Throwable> third = thread(
                () -> this.registry.acquire(request().withWaitTime(SHORT)).release());
        awaitWaiting(3);

        interruptNextAsk();

        assertThat(first.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        assertThat(third.get(20, TimeUnit.SECONDS)).isInstanceOf(LockNotGrantedException.class);
        assertThat(second).isNotDone();
        assertThat(store().acquisitionIds().stream()
                        .filter(id -> !id.equals(HOLDER))
                        .distinct())
                .as("one place")
                .hasSize(1);
    }

    /** The interrupted attempt may have been executed: the last one to give up has to take it back. */
    @Test
    void shouldStillCountAsUnanswered() throws Exception {
        CompletableFuture<Throwable> first =
                thread(() -> this.registry.acquire(request().withWaitTime(LONG)).release());
        awaitWaiting(1);
        interruptNextAsk();

        assertThat(first.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);

        eventually().until(() -> store().releases() > 1);
    }

    /** Nothing is known of a lock whose store answers no question. */
    @Test
    void shouldNotHideThatTheStoreIsSilent() throws Exception {
        store().onIsLocked(real -> {
            throw Failures.unanswered();
        });
        CompletableFuture<Thread> asking = new CompletableFuture<>();
        Gate silence = new Gate();
        store().onAcquire(real -> {
            asking.complete(Thread.currentThread());
            silence.pass();
            Thread.currentThread().interrupt();
            throw Failures.unanswered();
        });
        CompletableFuture<Throwable> first =
                thread(() -> this.registry.getLock(NAME).lock());
        asking.get(20, TimeUnit.SECONDS);
        CompletableFuture<Throwable> second = thread(
                () -> this.registry.acquire(request().withWaitTime(SHORT)).release());
        eventually().until(() -> this.registry.waiting() > 0);
        store().onAcquire(real -> {
            this.asksAgain.pass();
            return real.make();
        });

        silence.open();

        assertThat(second.get(20, TimeUnit.SECONDS)).isInstanceOf(LockStoreException.class);
        assertThat(first).isNotDone();
    }

    /** A store of an application may throw what it likes. */
    @Test
    void shouldKnowAnInterruptWhateverTheStoreThrows() throws Exception {
        CompletableFuture<Throwable> first =
                thread(() -> this.registry.getLock(NAME).lock());
        awaitWaiting(1);
        CompletableFuture<Throwable> second = thread(
                () -> this.registry.acquire(request().withWaitTime(SHORT)).release());
        awaitWaiting(2);
        AtomicInteger asked = new AtomicInteger();
        store().onAcquire(real -> {
            if (asked.incrementAndGet() == 1) {
                throw new InterruptedException();
            }
            this.asksAgain.pass();
            return real.make();
        });

        assertThat(second.get(20, TimeUnit.SECONDS)).isInstanceOf(LockNotGrantedException.class);
        assertThat(first).isNotDone();
    }

    @Test
    void shouldBeAFailureOfTheStoreIfNobodyWasInterrupted() throws Exception {
        CompletableFuture<Throwable> first =
                thread(() -> this.registry.getLock(NAME).lock());
        awaitWaiting(1);
        store().onAcquire(real -> {
            throw Failures.unanswered();
        });
        store().onIsLocked(real -> {
            throw Failures.unanswered();
        });
        int before = store().acquisitionIds().size();
        eventually().until(() -> store().acquisitionIds().size() > before + 1);

        CompletableFuture<Throwable> second = thread(
                () -> this.registry.acquire(request().withWaitTime(SHORT)).release());

        assertThat(second.get(20, TimeUnit.SECONDS)).isInstanceOf(LockStoreException.class);
        assertThat(first).isNotDone();
    }
}
