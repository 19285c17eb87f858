package io.github.lockstarter.lease;

import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether the store answers, when it is asked for that: on a thread of its own, with one question at a time. The
 * caller waits for 10 ms at most, and then gets the result of the question before.
 */
final class StoreProbe {

    /** Name of a lock that is never acquired. In a cluster it checks the node of its slot. */
    static final String NAME = "lock-starter-health";

    private static final long FRESH = TimeUnit.SECONDS.toNanos(1);

    private static final long PATIENCE_MILLIS = 10;

    /** The result of a question and its time in nanoseconds; without a failure: an answer. */
    record Result(@Nullable Throwable failure, long at) {}

    /** A question that has no answer yet. */
    private record Question(long at, CompletableFuture<Result> result) {}

    private final LeaseClock clock;

    private final LockStore store;

    private final LockThreads threads;

    private final long timeoutNanos;

    private final AtomicReference<@Nullable Question> asked = new AtomicReference<>();

    private volatile @Nullable Result last;

    private volatile long answeredAt;

    private volatile boolean answered;

    StoreProbe(LeaseClock clock, LockStore store, LockThreads threads, Duration timeout) {
        this.clock = clock;
        this.store = store;
        this.threads = threads;
        this.timeoutNanos = timeout.toNanos();
    }

    /** Returns what the store is, for users. */
    String description() {
        return this.store.description();
    }

    /** Returns the last result, asking again if it is older than 1 s; null: none so far. An overdue question has failed. */
    @Nullable
    Result check() {
        Result known = this.last;
        if (known == null || this.clock.nanoTime() - known.at() >= FRESH) {
            awaitFor(ask());
            known = this.last;
        }
        Question open = this.asked.get();
        long now = this.clock.nanoTime();
        if (open != null && now - open.at() >= this.timeoutNanos) {
            long millis = TimeUnit.NANOSECONDS.toMillis(now - open.at());
            return new Result(new TimeoutException(Printable.of("no answer for " + millis + " ms")), now);
        }
        return known;
    }

    /** Returns the time since the last answer; null: there was none. */
    @Nullable
    Duration sinceAnswer() {
        return this.answered ? Duration.ofNanos(Math.max(0, this.clock.nanoTime() - this.answeredAt)) : null;
    }

    private Question ask() {
        Question mine = new Question(this.clock.nanoTime(), new CompletableFuture<>());
        Question open = this.asked.compareAndExchange(null, mine);
        if (open != null) {
            return open;
        }
        if (!this.threads.probe(() -> answer(mine))) {
            this.asked.set(null);
            mine.result().cancel(false);
        }
        return mine;
    }

    private void answer(Question question) {
        Throwable failure = null;
        try {
            boolean unused = this.store.isLocked(NAME);
        } catch (Throwable ex) {
            failure = ex;
        }
        long now = this.clock.nanoTime();
        Result result = new Result(failure, now);
        this.last = result;
        if (failure == null) {
            this.answeredAt = now;
            this.answered = true;
        }
        this.asked.set(null);
        question.result().complete(result);
    }

    private static void awaitFor(Question question) {
        try {
            question.result().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException | CancellationException ex) {
            // The result of the question before is used.
        }
    }
}
