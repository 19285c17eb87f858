package io.github.lockstarter.store.redis;

import io.github.lockstarter.fixture.Interleavings;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/** Interleavings of requests with replies and with the check for late replies: each reply arrives or fails. */
public class ReplyTimeoutsModelTest {

    private static final long TIMEOUT = 10;

    private final Queue<Runnable> timer = new ConcurrentLinkedQueue<>();

    private final Queue<CompletableFuture<String>> replies = new ConcurrentLinkedQueue<>();

    private final AtomicLong clock = new AtomicLong();

    private final ReplyTimeouts timeouts =
            new ReplyTimeouts(Duration.ofNanos(TIMEOUT), (task, delay) -> this.timer.add(task), this.clock::get);

    @Operation
    public void request() {
        CompletableFuture<String> reply = new CompletableFuture<>();
        this.replies.add(reply);
        this.timeouts.limit(reply);
    }

    /** The reply to the first request arrives. */
    @Operation
    public void reply() {
        CompletableFuture<String> first = this.replies.poll();
        if (first != null) {
            first.complete("reply");
        }
    }

    /** The time of the first request is over, and the tasks that were scheduled run. */
    @Operation
    public void pass() {
        this.clock.addAndGet(TIMEOUT);
        for (int left = 3; left > 0; left--) {
            Runnable task = this.timer.poll();
            if (task != null) {
                task.run();
            }
        }
    }

    @Validate
    public void eachReplyIsDone() {
        for (int i = 0; i < 10; i++) {
            pass();
        }
        for (CompletableFuture<String> reply : this.replies) {
            if (!reply.isDone()) {
                throw new IllegalStateException("A reply has no timeout: it is pending after ten times the time.");
            }
        }
    }

    @Test
    void shouldEndEachReply() {
        Interleavings.check(ReplyTimeoutsModelTest.class, 5, 60);
    }
}
