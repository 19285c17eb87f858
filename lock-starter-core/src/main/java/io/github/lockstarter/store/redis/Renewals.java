package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.text.LockLog;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Sends renewals to Redis: many in one call where the server takes keys of different slots, otherwise each in a call of its
 * own. In a cluster all are sent before the first answer, so that a node that is down costs its own locks their renewal
 * and no others. Elsewhere each batch waits for its answers: an acquire or a release on the same connection must not stand
 * behind the renewals of 10,000 locks.
 */
final class Renewals {

    /** Long enough to share the costs of a call, short enough to keep nobody else waiting for a millisecond. */
    static final int MOST = 100;

    private static final LockLog logger = LockLog.of(Renewals.class);

    private final LockKeys keys;

    private final RedisLink link;

    Renewals(LockKeys keys, RedisLink link) {
        this.keys = keys;
        this.link = link;
    }

    /** Sends the renewals, and notifies each of its outcome, now or when the answer comes. */
    void renew(List<? extends Renewal> renewals) {
        ScriptCalls calls = this.link.calls();
        if (calls == null) {
            inBatches(renewals, this.link.isPrivate() ? MOST : 1, null);
        } else if (this.link.isCluster()) {
            CompletableFuture<?> unused = sendEach(renewals, calls);
        } else {
            inBatches(renewals, MOST, calls);
        }
    }

    private void inBatches(List<? extends Renewal> renewals, int most, @Nullable ScriptCalls calls) {
        for (int from = 0; from < renewals.size(); ) {
            RenewalBatch batch = RenewalBatch.firstOf(renewals.subList(from, renewals.size()), most);
            try {
                if (calls != null) {
                    call(batch, calls);
                } else {
                    execute(batch);
                }
            } catch (RuntimeException ex) {
                failed(batch, ex);
            }
            from += batch.size();
        }
    }

    /** A refused call has changed nothing, and a renewal may be repeated: at once, as there may be no time for more. */
    private void call(RenewalBatch batch, ScriptCalls calls) {
        List<?> failures = callTogether(batch, calls);
        if (failures != null) {
            answered(batch, failures);
        } else {
            await(sendEach(batch.renewals(), calls));
        }
    }

    /** Calls the script for all of them; null if the server does not take these keys in one call. */
    private @Nullable List<?> callTogether(RenewalBatch batch, ScriptCalls calls) {
        MixedSlots mixedSlots = calls.mixedSlots();
        if (batch.size() > 1 && mixedSlots.areRefused()) {
            return null;
        }
        List<?> failures;
        try {
            failures = calls.call(LuaScript.RENEW, batch.keys(this.keys), batch.leaseMillis(), batch.acquisitionIds());
        } catch (RuntimeException ex) {
            if (batch.size() > 1 && (mixedSlots.isRefusal(ex) || RedisErrors.mayConcernOneKey(ex))) {
                return null;
            }
            throw ex;
        }
        if (batch.isRefusedTogether(failures)) {
            mixedSlots.refuse();
            return null;
        }
        return failures;
    }

    /** Over the application's connection. */
    private void execute(RenewalBatch batch) {
        StringRedisTemplate redis = this.link.isPrivate() ? null : this.link.template();
        if (redis == null) {
            throw RedisErrors.notConnected(batch.subject(this.keys), this.link);
        }
        List<?> failures =
                redis.execute(LuaScript.RENEW, batch.keys(this.keys), batch.leaseMillis(), batch.acquisitionIds());
        if (failures == null) {
            throw RedisErrors.inTransaction(batch.subject(this.keys));
        }
        answered(batch, failures);
    }

    /** Sends each in a call of its own, all before the first answer; completed when each has been notified. */
    private CompletableFuture<?> sendEach(List<? extends Renewal> renewals, ScriptCalls calls) {
        CompletableFuture<?>[] notified = new CompletableFuture<?>[renewals.size()];
        for (int i = 0; i < notified.length; i++) {
            RenewalBatch one = RenewalBatch.firstOf(renewals.subList(i, i + 1), 1);
            notified[i] = send(one, calls);
        }
        return CompletableFuture.allOf(notified);
    }

    private CompletableFuture<?> send(RenewalBatch one, ScriptCalls calls) {
        try {
            return calls.send(LuaScript.RENEW, one.keys(this.keys), one.leaseMillis(), one.acquisitionIds())
                    .thenAccept(failures -> answered(one, failures))
                    .exceptionally(failure -> {
                        failed(one, failure);
                        return null;
                    })
                    .toCompletableFuture();
        } catch (RuntimeException ex) {
            failed(one, ex);
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Waits until each has been notified. Answers have a time limit, and arrive whether a thread waits or not. */
    private static void await(CompletableFuture<?> notified) {
        try {
            Object unused = notified.get();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException ex) {
            logger.debug("A renewal could not be notified of its outcome.", ex);
        }
    }

    private void answered(RenewalBatch batch, List<?> failures) {
        if (batch.answered(failures, this.keys)) {
            this.link.misled();
        }
    }

    private void failed(RenewalBatch batch, Throwable failure) {
        batch.failed(this.link.failed(failure, batch.subject(this.keys)));
    }
}
