package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.support.StoreFailures;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.text.LoggedNames;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a waiter in the local queue can be refused at the end of its wait. A grant of this JVM shows that the
 * lock is held; otherwise the store is asked. The last reply to the first of the queue does not count: it can be older
 * than the wait, and the store may be silent since then.
 */
public final class HolderChecks {

    private final LocalQueues<Grant> queues;

    private final LockStore store;

    private final Losses losses;

    private final LoggedNames names;

    public HolderChecks(LocalQueues<Grant> queues, LockStore store, Losses losses, LoggedNames names) {
        this.queues = queues;
        this.store = store;
        this.losses = losses;
        this.names = names;
    }

    /** Creates a check for one waiter of that lock. */
    HolderCheck of(QueueNode<?> node) {
        return new HolderCheck(node.lockName(), node.kind());
    }

    /** One check, used by one thread at a time; only the reply may arrive on another thread. */
    final class HolderCheck {

        private final String lockName;

        private final GrantKind kind;

        private volatile @Nullable LockStoreException failure;

        /** Written last and read first. */
        private volatile boolean answered;

        private HolderCheck(String lockName, GrantKind kind) {
            this.lockName = lockName;
            this.kind = kind;
        }

        /** Returns whether this JVM holds the lock. */
        boolean isHeldHere() {
            QueueNode<Grant> first = HolderChecks.this.queues.first(this.lockName);
            Grant grant = first != null ? first.grant() : null;
            return grant != null && HolderChecks.this.losses.isLive(grant);
        }

        /** Asks and waits for the reply. */
        void ask() {
            try {
                answered(HolderChecks.this.store.isLocked(this.lockName), null);
            } catch (RuntimeException ex) {
                answered(true, ex);
            }
        }

        /**
         * Asks, and returns before the reply is there if the store can do that.
         *
         * @param onReply called when the reply is there, at once or later, on a thread that must not be blocked
         */
        void askLater(Runnable onReply) {
            CompletionStage<Boolean> reply = HolderChecks.this.store.isLockedLater(this.lockName);
            if (reply == null) {
                ask();
                onReply.run();
                return;
            }
            CompletionStage<?> unused = reply.whenComplete((locked, thrown) -> {
                answered(thrown != null || locked, thrown);
                onReply.run();
            });
        }

        private void answered(boolean locked, @Nullable Throwable thrown) {
            this.failure = thrown != null
                    ? StoreFailures.of(HolderChecks.this.names.of(this.lockName), thrown)
                    : locked && !this.kind.isShared() ? null : failureOfFirst();
            this.answered = true;
        }

        /** Returns why the first of the queue does not get a lock that is free or can be shared; null if only the moment is the reason. */
        private @Nullable LockStoreException failureOfFirst() {
            QueueNode<Grant> first = HolderChecks.this.queues.first(this.lockName, this.kind);
            LineTicket ticket = first != null ? first.ticket() : null;
            return ticket != null ? ticket.failure() : null;
        }

        boolean isAnswered() {
            return this.answered;
        }

        /** Returns why the waiter cannot be refused; null if it can. */
        @Nullable
        LockStoreException failure() {
            return this.failure;
        }
    }
}
