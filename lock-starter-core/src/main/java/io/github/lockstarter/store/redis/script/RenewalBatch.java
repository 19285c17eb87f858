package io.github.lockstarter.store.redis.script;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Renewal;
import io.github.lockstarter.store.redis.error.ErrorReplies;
import io.github.lockstarter.store.redis.error.RedisExceptionTranslator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Consecutive renewals with the same lease, which go in one call of {@code renew.lua} or {@code confirm.lua}. */
public final class RenewalBatch {

    private final List<? extends Renewal> renewals;

    private RenewalBatch(List<? extends Renewal> renewals) {
        this.renewals = renewals;
    }

    /**
     * Returns the longest batch at the head of the list.
     *
     * @param renewals at least one
     * @param largest the largest batch to return
     */
    public static RenewalBatch firstOf(List<? extends Renewal> renewals, int largest) {
        long leaseMillis = renewals.get(0).leaseMillis();
        int end = 1;
        while (end < largest && end < renewals.size() && renewals.get(end).leaseMillis() == leaseMillis) {
            end++;
        }
        return new RenewalBatch(renewals.subList(0, end));
    }

    /** Returns the renewals, at least one. */
    public List<? extends Renewal> renewals() {
        return this.renewals;
    }

    /** Returns the number of renewals. */
    public int size() {
        return this.renewals.size();
    }

    /** Returns the keys of the locks. */
    public List<String> keys(LockKeys keys) {
        List<String> names = new ArrayList<>(size());
        for (Renewal renewal : this.renewals) {
            names.add(keys.keyOf(renewal.lockName()));
        }
        return names;
    }

    /** Returns the lease of all renewals in milliseconds, as an argument of the script. */
    public String leaseMillis() {
        return Long.toString(this.renewals.get(0).leaseMillis());
    }

    /** Returns the ids of the acquisitions as one argument of the script. */
    public String acquisitionIds() {
        StringBuilder ids = new StringBuilder();
        for (Renewal renewal : this.renewals) {
            ids.append(ids.length() > 0 ? ";" : "").append(renewal.acquisitionId());
        }
        return ids.toString();
    }

    /** Returns the locks as messages name them: the first one, and how many others there are. */
    public String describe(LockKeys keys) {
        String first = keys.describe(this.renewals.get(0).lockName());
        return size() == 1 ? first : first + " and " + (size() - 1) + " others";
    }

    /**
     * Returns whether the server rejected keys of different slots, for servers that find them while the script runs.
     */
    public boolean isRejectedAsCrossSlot(List<?> failures) {
        boolean rejected = false;
        for (int i = 1; i < failures.size() && size() > 1; i += 2) {
            rejected |= !(failures.get(i) instanceof Long) && ErrorReplies.isCrossSlot(text(failures.get(i)));
        }
        return rejected;
    }

    /**
     * Notifies each renewal of its outcome.
     *
     * @param failures the result of the script: a flat list of positions, counted from 1, and reasons
     * @return whether the server may not be the master any more
     */
    public boolean answered(List<?> failures, LockKeys keys) {
        boolean notMaster = false;
        int notified = 0;
        for (int i = 0; i < failures.size(); i += 2) {
            int failed = ((Long) failures.get(i)).intValue() - 1;
            renewed(notified, failed);
            notMaster |= notRenewed(this.renewals.get(failed), failures.get(i + 1), keys);
            notified = failed + 1;
        }
        renewed(notified, size());
        return notMaster;
    }

    /** Notifies each renewal that there was no reply. */
    public void failed(LockStoreException cause) {
        this.renewals.forEach(renewal -> renewal.failed(cause));
    }

    private void renewed(int from, int to) {
        for (int i = from; i < to; i++) {
            this.renewals.get(i).renewed();
        }
    }

    private static boolean notRenewed(Renewal renewal, Object reason, LockKeys keys) {
        if (reason instanceof Long code) {
            renewal.lost(code == 0 ? LossReason.DELETED : LossReason.TAKEN_OVER);
            return false;
        }
        String error = text(reason);
        renewal.failed(new LockStoreException(
                "Redis did not renew " + keys.describe(renewal.lockName()) + ": "
                        + RedisExceptionTranslator.withRemedy(error),
                null,
                false,
                true));
        return ErrorReplies.isNotMaster(error);
    }

    private static String text(Object error) {
        return error instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "" + error;
    }
}
