package io.github.lockstarter.lease;

import io.github.lockstarter.store.AcquireReply;
import java.util.concurrent.CompletionStage;

/** What happens when a message says that a lock was handed to this JVM. */
final class Claims {

    private final LockEngine engine;

    Claims(LockEngine engine) {
        this.engine = engine;
    }

    /** Lets the first of the queue look; if it waits, the store is asked before it has woken up. Does not block. */
    void handedOver(String lockName) {
        this.engine.queues().forFirst(lockName, (first, place) -> {
            place.noticeHandOver();
            Acquisition waiter = first.acquisition();
            if (waiter == null || !first.isWaiting() || place.isBeingAskedFor()) {
                // It looks by itself, or again after the answer that is on its way.
                first.wake();
            } else {
                claim(first, place, waiter);
            }
        });
    }

    private void claim(Turn first, Place place, Acquisition waiter) {
        Claim claim = new Claim(this.engine.clock(), waiter.leaseMillis());
        place.claiming(claim);
        CompletionStage<AcquireReply> reply = this.engine
                .store()
                .acquireLater(first.lockName(), place.acquisitionId(), waiter.leaseMillis(), waiter.mayWait());
        if (reply == null) {
            claim.answer(null);
            first.wake();
            return;
        }
        CompletionStage<?> unused = reply.whenComplete((answer, failure) -> {
            if (failure != null) {
                place.unanswered(waiter.leaseMillis());
            }
            claim.answer(answer);
            // Whoever asks from that place now: the one for whom it was sent may have given up.
            this.engine.queues().forFirst(first.lockName(), (now, its) -> {
                its.notice();
                now.wake();
            });
        });
    }
}
