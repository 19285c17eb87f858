package io.github.lockstarter.lease;

import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.text.LockLog;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What happens when a message says that a lock was handed to this JVM. */
final class Claims {

    private static final LockLog logger = LockLog.of(Claims.class);

    private final LockEngine engine;

    Claims(LockEngine engine) {
        this.engine = engine;
    }

    /** Lets the first of the queue look; if it waits, the store is asked before it has woken up. Does not block. */
    void handedOver(String lockName) {
        this.engine.queues().forFirst(lockName, (first, place) -> {
            place.noticeHandOver();
            Acquisition waiter = first.acquisition();
            // Otherwise it looks by itself, or again after the answer that is on its way.
            if (waiter == null || !first.isWaiting() || !claim(first, place, waiter)) {
                first.wake();
            }
        });
    }

    private boolean claim(Turn first, Place place, Acquisition waiter) {
        Claim claim = new Claim(this.engine.clock(), waiter.leaseMillis());
        if (!place.beginClaim(claim)) {
            return false;
        }
        CompletionStage<AcquireReply> reply = send(first, place, waiter);
        if (reply == null) {
            claim.answer(null);
            return false;
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
        return true;
    }

    private @Nullable CompletionStage<AcquireReply> send(Turn first, Place place, Acquisition waiter) {
        try {
            return this.engine
                    .store()
                    .acquireLater(first.lockName(), place.acquisitionId(), waiter.leaseMillis(), waiter.mayWait());
        } catch (RuntimeException ex) {
            logger.debug("No claim for lock '" + this.engine.names().of(first.lockName()) + "'", ex);
            place.unanswered(waiter.leaseMillis());
            return null;
        }
    }
}
