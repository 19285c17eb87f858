package io.github.lockstarter.wire;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Renewal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A renewal of one lock and its outcome: "renewed", "failed" or the name of the reason of the loss. */
record RenewalOutcome(String lockName, String acquisitionId, long leaseMillis, CompletableFuture<String> outcome)
        implements Renewal {

    /** Renews through the store and returns the outcome. */
    static String of(LockStore store, String lockName, String acquisitionId, long leaseMillis) {
        RenewalOutcome renewal = new RenewalOutcome(lockName, acquisitionId, leaseMillis, new CompletableFuture<>());
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
