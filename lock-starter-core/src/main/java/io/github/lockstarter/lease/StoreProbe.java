package io.github.lockstarter.lease;

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
 * Whether the store answers. It is asked on a thread of its own, one question at a time, and only when somebody wants to
 * know; who wants to know waits for a moment and then hears what was known before.
 */
final class StoreProbe {

    /** An ordinary lock that nobody takes. In a cluster it stands for the node that has it. */
    static final String NAME = "lock-starter-health";

    private static final long FRESH = TimeUnit.SECONDS.toNanos(1);

    private static final long PATIENCE_MILLIS = 10;

    /** What came of a question, and when; no failure: an answer. */
    record Result(@Nullable Throwable failure, long at) {}

    /** A question that is on its way. */
    private record Question(long at, CompletableFuture<Result> result) {}

    private final LeaseClock clock;

    private final LockStore store;

    private final LockThreads threads;

    private final long timeoutNanos;

    private final AtomicReference<@Nullable Question> asked = new AtomicReference<>();

    private volatile @Nullable Result last;

    private volatile long answeredAt;

    private volatile boolean answered;

    StoreProbe(LockEngine engine) {
        this.clock = engine.clock();
        this.store = engine.store();
        this.threads = engine.threads();
        this.timeoutNanos = engine.settings().commandTimeout().toNanos();
    }

    /** The last result, asking anew if it is not fresh; null: none so far. A question that is overdue counts as failed. */
    @Nullable
    Result look() {
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

    /** Time since the store answered last; null: never. */
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
        if (failure == null) {
            this.answeredAt = now;
            this.answered = true;
        }
        Result result = new Result(failure, now);
        this.last = result;
        this.asked.set(null);
        question.result().complete(result);
    }

    private static void awaitFor(Question question) {
        try {
            question.result().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException | CancellationException ex) {
            // Then what was known before is what is known.
        }
    }
}
