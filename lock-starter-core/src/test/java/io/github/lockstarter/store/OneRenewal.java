package io.github.lockstarter.store;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A renewal of one lease that keeps its outcome: "renewed", "failed" or the name of the reason of the loss. */
public record OneRenewal(String lockName, String acquisitionId, long leaseMillis, CompletableFuture<String> outcome)
        implements Renewal {

    /** Renews, and returns the outcome. */
    public static String outcomeOf(LockStore store, String lockName, String acquisitionId, long leaseMillis) {
        OneRenewal renewal = new OneRenewal(lockName, acquisitionId, leaseMillis, new CompletableFuture<>());
        store.renew(List.of(renewal));
        return renewal.outcome
                .completeOnTimeout("no answer", 20, TimeUnit.SECONDS)
                .join();
    }

    @Override
    public void renewed() {
        this.outcome.complete("renewed");
    }

    @Override
    public void lost(LossReason reason) {
        this.outcome.complete(reason.name());
    }

    @Override
    public void failed(LockStoreException cause) {
        this.outcome.complete("failed");
    }
}
