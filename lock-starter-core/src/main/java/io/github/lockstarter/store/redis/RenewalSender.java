package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.redis.connection.StoreConnection;
import io.github.lockstarter.store.redis.error.ErrorReplies;
import io.github.lockstarter.store.redis.error.RedisExceptionTranslator;
import io.github.lockstarter.store.redis.script.CrossSlotSupport;
import io.github.lockstarter.store.redis.script.LettuceScriptExecutor;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.store.redis.script.RenewalBatch;
import io.github.lockstarter.text.LockLog;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Sends renewals to Redis: many in one call if the server takes keys of different slots, otherwise each in a call of
 * its own. In a cluster all calls are sent before the first reply, so that a node that is down delays only the renewals
 * of its own locks. Elsewhere each batch waits for its reply: an acquire or a release on the same connection must not
 * queue behind the renewals of 10,000 locks. Thread-safe.
 */
final class RenewalSender {

    /** Renewals in one call: enough to share its cost, and few enough to block Redis for less than a millisecond. */
    static final int LARGEST_BATCH = 100;

    private static final LockLog logger = LockLog.of(RenewalSender.class);

    private final LockKeys keys;

    private final StoreConnection connection;

    RenewalSender(LockKeys keys, StoreConnection connection) {
        this.keys = keys;
        this.connection = connection;
    }

    /** Sends the renewals, and notifies each of its outcome, before or after this method returns. */
    void renew(List<? extends Renewal> renewals) {
        LettuceScriptExecutor scripts = this.connection.scripts();
        if (scripts == null) {
            sendInBatches(renewals, this.connection.isPrivate() ? LARGEST_BATCH : 1, null);
        } else if (this.connection.isCluster()) {
            CompletableFuture<?> unused = sendEach(renewals, scripts);
        } else {
            sendInBatches(renewals, LARGEST_BATCH, scripts);
        }
    }

    /** Sends one renewal without waiting for its reply; returns false if there is no private connection for that. */
    boolean renewLater(Renewal renewal) {
        LettuceScriptExecutor scripts = this.connection.scripts();
        if (scripts == null) {
            return false;
        }
        CompletableFuture<?> unused = send(RenewalBatch.firstOf(List.of(renewal), 1), scripts);
        return true;
    }

    private void sendInBatches(List<? extends Renewal> renewals, int largest, @Nullable LettuceScriptExecutor scripts) {
        for (int from = 0; from < renewals.size(); ) {
            RenewalBatch batch = RenewalBatch.firstOf(renewals.subList(from, renewals.size()), largest);
            try {
                if (scripts != null) {
                    call(batch, scripts);
                } else {
                    execute(batch);
                }
            } catch (RuntimeException ex) {
                failed(batch, ex);
            }
            from += batch.size();
        }
    }

    /**
     * Renews the batch in one call, or each lock on its own if that call was rejected, which has changed nothing then.
     */
    private void call(RenewalBatch batch, LettuceScriptExecutor scripts) {
        List<?> failures = callTogether(batch, scripts);
        if (failures != null) {
            answered(batch, failures);
        } else {
            await(sendEach(batch.renewals(), scripts));
        }
    }

    /** Calls the script for the whole batch; returns null if the server does not take these keys in one call. */
    private @Nullable List<?> callTogether(RenewalBatch batch, LettuceScriptExecutor scripts) {
        CrossSlotSupport crossSlotSupport = scripts.crossSlotSupport();
        if (batch.size() > 1 && crossSlotSupport.isRejected()) {
            return null;
        }
        List<?> failures;
        try {
            failures =
                    scripts.call(LuaScript.RENEW, batch.keys(this.keys), batch.leaseMillis(), batch.acquisitionIds());
        } catch (RuntimeException ex) {
            if (batch.size() > 1 && (crossSlotSupport.recordRejection(ex) || ErrorReplies.mayConcernOneKey(ex))) {
                return null;
            }
            throw ex;
        }
        if (batch.isRejectedAsCrossSlot(failures)) {
            crossSlotSupport.recordRejection();
            return null;
        }
        return failures;
    }

    /** Renews the batch over the application's connection. */
    private void execute(RenewalBatch batch) {
        StringRedisTemplate template = this.connection.isPrivate() ? null : this.connection.template();
        if (template == null) {
            throw this.connection.notConnected(batch.describe(this.keys));
        }
        List<?> failures =
                template.execute(LuaScript.RENEW, batch.keys(this.keys), batch.leaseMillis(), batch.acquisitionIds());
        if (failures == null) {
            throw RedisExceptionTranslator.inTransaction(batch.describe(this.keys));
        }
        answered(batch, failures);
    }

    /** Sends each renewal in a call of its own; the result is completed when all of them have been notified. */
    private CompletableFuture<?> sendEach(List<? extends Renewal> renewals, LettuceScriptExecutor scripts) {
        CompletableFuture<?>[] notified = new CompletableFuture<?>[renewals.size()];
        for (int i = 0; i < notified.length; i++) {
            RenewalBatch one = RenewalBatch.firstOf(renewals.subList(i, i + 1), 1);
            notified[i] = send(one, scripts);
        }
        return CompletableFuture.allOf(notified);
    }

    private CompletableFuture<?> send(RenewalBatch one, LettuceScriptExecutor scripts) {
        try {
            return scripts.send(LuaScript.RENEW, one.keys(this.keys), one.leaseMillis(), one.acquisitionIds())
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

    /**
     * Waits until all renewals have been notified, which each reply's timeout limits; an interrupt only ends the wait.
     */
    private static void await(CompletableFuture<?> notified) {
        try {
            Object unused = notified.get();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException ex) {
            logger.debug("A renewal failed to process its outcome.", ex);
        }
    }

    private void answered(RenewalBatch batch, List<?> failures) {
        if (batch.answered(failures, this.keys)) {
            this.connection.findMaster();
        }
    }

    private void failed(RenewalBatch batch, Throwable failure) {
        batch.failed(this.connection.failed(failure, batch.describe(this.keys)));
    }
}
