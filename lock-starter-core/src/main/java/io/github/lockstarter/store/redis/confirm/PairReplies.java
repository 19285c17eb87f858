package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.connection.StoreConnection;
import io.github.lockstarter.store.redis.error.ErrorReplies;
import io.github.lockstarter.store.redis.error.RedisExceptionTranslator;
import io.github.lockstarter.store.redis.script.LettuceScriptExecutor;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Notifies confirmations of the replies to their pair. Nothing is believed, not even that a lock is lost, without both
 * replies: only a server with enough replicas can be the master. Thread-safe.
 */
final class PairReplies {

    private final StoreConnection store;

    private final LockKeys keys;

    private final Acknowledgements acknowledgements;

    PairReplies(StoreConnection store, LockKeys keys, Acknowledgements acknowledgements) {
        this.store = store;
        this.keys = keys;
        this.acknowledgements = acknowledgements;
    }

    /**
     * What follows from the replies.
     *
     * @param again the confirmations that must be sent once more
     * @param broken whether the connection must not be used any more
     * @param tooFew whether too few replicas have acknowledged
     * @param scriptKnown whether the server has the script
     */
    record Result(List<PendingConfirmation> again, boolean broken, boolean tooFew, boolean scriptKnown) {

        /** Nothing is known. */
        static final Result BROKEN = new Result(List.of(), true, false, false);
    }

    /**
     * Notifies the confirmations of a pair.
     *
     * @param failure why there are not all replies; null if there are, or if one of them is an error
     */
    Result apply(Pair pair, @Nullable Throwable failure, ShortageLog shortages) {
        Throwable noCount = failure != null ? failure : pair.waitFailure();
        if (noCount != null) {
            pair.confirmations().forEach(each -> failed(each, noCount));
            boolean broken = !(noCount instanceof RedisCommandExecutionException) || ErrorReplies.isNotMaster(noCount);
            return new Result(List.of(), broken, false, false);
        }
        long acknowledged = pair.acknowledged();
        shortages.acknowledged(acknowledged);
        if (!this.acknowledgements.areEnough(acknowledged)) {
            pair.confirmations()
                    .forEach(each -> each.failed(this.acknowledgements.tooFew(each.lockName(), acknowledged)));
            this.store.check();
            return new Result(List.of(), false, true, false);
        }
        List<PendingConfirmation> again = new ArrayList<>();
        boolean notMaster = false;
        boolean scriptKnown = true;
        for (Pair.Call call : pair.calls()) {
            Throwable error = call.failure();
            if (error == null) {
                notMaster |= answered(call, again);
            } else {
                notMaster |= ErrorReplies.isNotMaster(error);
                scriptKnown &= !(error instanceof RedisNoScriptException);
                rejected(call, error, again);
            }
        }
        return new Result(again, notMaster, false, scriptKnown);
    }

    /** Returns whether the server may not be the master any more. */
    private boolean answered(Pair.Call call, List<PendingConfirmation> again) {
        List<Object> failures = call.result();
        if (call.batch().isRejectedAsCrossSlot(failures)) {
            LettuceScriptExecutor scripts = this.store.scripts();
            if (scripts != null) {
                scripts.crossSlotSupport().recordRejection();
            }
            separate(call, again);
            return false;
        }
        boolean notMaster = call.batch().answered(failures, this.keys);
        if (notMaster) {
            this.store.findMaster();
        }
        return notMaster;
    }

    private void rejected(Pair.Call call, Throwable error, List<PendingConfirmation> again) {
        if (error instanceof RedisNoScriptException) {
            again.addAll(call.confirmations());
        } else if (call.batch().size() > 1
                && (ErrorReplies.isCrossSlot(error) || ErrorReplies.mayConcernOneKey(error))) {
            separate(call, again);
        } else {
            call.confirmations().forEach(each -> failed(each, error));
        }
    }

    /** Has each lock of a rejected call sent in a call of its own, as far as others may have caused the rejection. */
    private static void separate(Pair.Call call, List<PendingConfirmation> again) {
        call.confirmations().forEach(PendingConfirmation::separate);
        again.addAll(call.confirmations());
    }

    /** Creates the exception for a lock that could not be confirmed because there is no connection. */
    LockStoreException notConnected(String lockName, Throwable cause) {
        return RedisExceptionTranslator.notConnected(
                this.store.servers(), "the confirmation of " + this.keys.describe(lockName), cause);
    }

    private void failed(PendingConfirmation confirmation, Throwable cause) {
        confirmation.failed(this.store.failed(cause, this.keys.describe(confirmation.lockName())));
    }
}
