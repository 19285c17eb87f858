package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.Renewal;
import java.util.concurrent.CompletableFuture;

/** Confirms a grant as a renewal is confirmed. Every failure leaves the grant in Redis, so its outcome is unknown. */
final class GrantConfirmation implements Renewal {

    private final String lockName;

    private final String acquisitionId;

    private final long leaseMillis;

    private final String shownName;

    private final CompletableFuture<AcquireReply> reply = new CompletableFuture<>();

    private final AcquireReply grant;

    private final Runnable onOtherMaster;

    /**
     * Creates a confirmation without a reply.
     *
     * @param shownName the lock as messages name it
     * @param onOtherMaster called if the grant is unknown to the server that was to confirm it
     */
    GrantConfirmation(
            String lockName,
            String acquisitionId,
            long leaseMillis,
            AcquireReply grant,
            String shownName,
            Runnable onOtherMaster) {
        this.lockName = lockName;
        this.acquisitionId = acquisitionId;
        this.leaseMillis = leaseMillis;
        this.grant = grant;
        this.shownName = shownName;
        this.onOtherMaster = onOtherMaster;
    }

    /** Returns the grant when it is confirmed; completed exceptionally with a {@link LockStoreException} otherwise. */
    CompletableFuture<AcquireReply> reply() {
        return this.reply;
    }

    @Override
    public String lockName() {
        return this.lockName;
    }

    @Override
    public String acquisitionId() {
        return this.acquisitionId;
    }

    @Override
    public long leaseMillis() {
        return this.leaseMillis;
    }

    @Override
    public void renewed() {
        boolean unused = this.reply.complete(this.grant);
    }

    @Override
    public void lost(LossReason reason) {
        this.onOtherMaster.run();
        failed(new LockStoreException(
                "Redis granted " + this.shownName
                        + " but did not confirm it: when the replicas were to acknowledge it, the"
                        + " lock " + (reason == LossReason.DELETED ? "was free." : "had another owner.")
                        + " Either its lease of " + this.leaseMillis
                        + " ms is too short, the lock was released by force,"
                        + " or a failover is in progress.",
                null,
                true,
                true));
    }

    @Override
    public void failed(LockStoreException cause) {
        boolean unused = this.reply.completeExceptionally(
                cause.isOutcomeUnknown()
                        ? cause
                        : new LockStoreException(String.valueOf(cause.getMessage()), cause, true, cause.isTransient()));
    }
}
