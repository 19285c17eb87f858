package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.ReplyTimeouts;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.Printable;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.QueryTimeoutException;

/**
 * Confirms grants and renewals at one master. One pair is in flight at a time; what arrives meanwhile shares the next
 * one, so that a thousand grants do not need a thousand of them. Thread-safe; never blocks.
 *
 * <p>Implementation note. The lock guards the fields below it and is held for moments only: commands are sent, and
 * confirmations are notified, without it. At any time either the backlog is empty, or a pair is in flight, or a
 * connection is being opened; the end of each calls {@link #next()}. A confirmation waits for a connection only as long
 * as the attempt to open it takes, and its caller not longer than its deadline.
 */
final class PairQueue implements MasterLink.User {

    private static final LockLog logger = LockLog.of(PairQueue.class);

    private final MasterLink link;

    private final LockKeys keys;

    private final Acknowledgements acknowledgements;

    private final PairReplies replies;

    private final IntSupplier largestBatch;

    private final ReplyTimeouts timeouts;

    private final ReentrantLock lock = new ReentrantLock();

    private final Backlog backlog = new Backlog();

    private @Nullable StatefulRedisConnection<byte[], byte[]> connection;

    /** Whether a connection is being opened. */
    private boolean opening;

    /** Whether replies are outstanding. */
    private boolean inFlight;

    /** Whether the connection must be replaced before the next pair. */
    private boolean stale;

    /** Whether the server of the connection has executed the script. */
    private boolean scriptKnown;

    /**
     * Creates an empty queue without a connection.
     *
     * @param largestBatch returns the largest number of locks in one script call
     */
    PairQueue(
            MasterLink link,
            LockKeys keys,
            Acknowledgements acknowledgements,
            PairReplies replies,
            IntSupplier largestBatch) {
        this.link = link;
        this.keys = keys;
        this.acknowledgements = acknowledgements;
        this.replies = replies;
        this.largestBatch = largestBatch;
        this.timeouts = new ReplyTimeouts(acknowledgements.timeout());
    }

    /** Opens a connection in the background; one that is open is replaced before the next pair. */
    void reopen() {
        this.lock.lock();
        try {
            this.stale = this.connection != null;
            if (this.opening || this.inFlight) {
                return;
            }
            this.opening = true;
        } finally {
            this.lock.unlock();
        }
        this.link.open(this);
    }

    /** Confirms as soon as the pair in flight has ended. */
    void add(List<PendingConfirmation> confirmations) {
        this.lock.lock();
        try {
            confirmations.forEach(this.backlog::add);
        } finally {
            this.lock.unlock();
        }
        next();
    }

    /** Sends the next pair, or opens a connection for it, unless one of both is going on. */
    private void next() {
        StatefulRedisConnection<byte[], byte[]> used;
        List<PendingConfirmation> overdue;
        List<PendingConfirmation> taken;
        boolean withText;
        boolean open;
        this.lock.lock();
        try {
            if (this.inFlight || this.opening || this.backlog.isEmpty()) {
                return;
            }
            overdue = this.backlog.takeOverdue(System.nanoTime());
            used = isUsable() ? this.connection : null;
            taken = used != null ? this.backlog.takePair() : List.of();
            withText = !this.scriptKnown;
            this.inFlight = !taken.isEmpty();
            open = used == null && !this.backlog.isEmpty();
            this.opening = open;
        } finally {
            this.lock.unlock();
        }
        overdue.forEach(each -> each.failed(this.acknowledgements.noAnswer(each.lockName())));
        if (open) {
            this.link.open(this);
        } else if (used != null && !taken.isEmpty()) {
            send(used, new Pair(taken, this.largestBatch.getAsInt(), withText, this.keys, this.acknowledgements));
        }
    }

    private boolean isUsable() {
        return this.connection != null && this.connection.isOpen() && !this.stale;
    }

    private void send(StatefulRedisConnection<byte[], byte[]> used, Pair pair) {
        // Completed with the last reply, or when the time is over.
        CompletableFuture<?> replied = pair.send(used).handle((unused, failure) -> null);
        this.timeouts.limit(replied);
        CompletableFuture<?> unused = replied.whenComplete((done, noReply) -> ended(used, pair, noReply != null));
    }

    private void ended(StatefulRedisConnection<byte[], byte[]> used, Pair pair, boolean timedOut) {
        PairReplies.Result result = PairReplies.Result.BROKEN;
        try {
            result = this.replies.apply(pair, timedOut ? noReply() : null, this.link.shortages());
        } catch (Throwable ex) {
            logger.error("A confirmation failed to process its outcome.", ex);
        }
        if (result.broken()) {
            MasterLink.close(used);
        }
        this.lock.lock();
        try {
            this.inFlight = false;
            this.stale |= result.broken() || (result.tooFew() && this.link.mayLeadElsewhere());
            this.scriptKnown = result.scriptKnown();
            this.backlog.putBack(result.again());
        } finally {
            this.lock.unlock();
        }
        next();
    }

    private QueryTimeoutException noReply() {
        return new QueryTimeoutException(Printable.of(
                "no reply within " + this.acknowledgements.timeout().toMillis() + " ms"));
    }

    @Override
    public void opened(StatefulRedisConnection<byte[], byte[]> opened) {
        StatefulRedisConnection<byte[], byte[]> replaced;
        this.lock.lock();
        try {
            replaced = this.connection;
            this.connection = opened;
            this.opening = false;
            this.stale = false;
            this.scriptKnown = false;
        } finally {
            this.lock.unlock();
        }
        MasterLink.close(replaced);
        next();
    }

    @Override
    public void notOpened(RuntimeException cause) {
        List<PendingConfirmation> failed;
        this.lock.lock();
        try {
            this.opening = false;
            failed = this.backlog.takeAll();
        } finally {
            this.lock.unlock();
        }
        failed.forEach(each -> each.failed(this.replies.notConnected(each.lockName(), cause)));
    }

    /** Closes the connection, and fails what is queued. */
    void stop() {
        this.link.stop();
        StatefulRedisConnection<byte[], byte[]> closed;
        this.lock.lock();
        try {
            closed = this.connection;
            this.connection = null;
        } finally {
            this.lock.unlock();
        }
        MasterLink.close(closed);
        notOpened(new IllegalStateException(Printable.of("the store was stopped")));
    }
}
