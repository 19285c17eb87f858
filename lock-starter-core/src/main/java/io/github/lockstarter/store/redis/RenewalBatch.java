package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Renewal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Renewals that go in one script call: one after the other, and for the same lease. */
final class RenewalBatch {

    private final List<? extends Renewal> renewals;

    private RenewalBatch(List<? extends Renewal> renewals) {
        this.renewals = renewals;
    }

    /** As many of the first as can go together. */
    static RenewalBatch firstOf(List<? extends Renewal> renewals, int most) {
        long leaseMillis = renewals.get(0).leaseMillis();
        int end = 1;
        while (end < most && end < renewals.size() && renewals.get(end).leaseMillis() == leaseMillis) {
            end++;
        }
        return new RenewalBatch(renewals.subList(0, end));
    }

    List<? extends Renewal> renewals() {
        return this.renewals;
    }

    int size() {
        return this.renewals.size();
    }

    List<String> keys(LockKeys keys) {
        List<String> names = new ArrayList<>(size());
        for (Renewal renewal : this.renewals) {
            names.add(keys.keyOf(renewal.lockName()));
        }
        return names;
    }

    String leaseMillis() {
        return Long.toString(this.renewals.get(0).leaseMillis());
    }

    /** The ids as the script wants them. */
    String acquisitionIds() {
        StringBuilder ids = new StringBuilder();
        for (Renewal renewal : this.renewals) {
            ids.append(ids.length() > 0 ? ";" : "").append(renewal.acquisitionId());
        }
        return ids.toString();
    }

    /** What errors call it: it stands between quotes there. */
    String subject(LockKeys keys) {
        String first = keys.shown(this.renewals.get(0).lockName());
        return size() == 1
                ? first
                : first + "' and " + (size() - 1) + " more, like '"
                        + keys.shown(this.renewals.get(size() - 1).lockName());
    }

    /** Whether some of several were refused because of their slots, by a server that notices while the script runs. */
    boolean isRefusedTogether(List<?> failures) {
        boolean refused = false;
        for (int i = 1; i < failures.size() && size() > 1; i += 2) {
            refused |= !(failures.get(i) instanceof Long) && RedisErrors.isOfSlots(text(failures.get(i)));
        }
        return refused;
    }

    /** Tells each what the script's list of failures means to it; true if it came from a server that was replaced. */
    boolean answered(List<?> failures, LockKeys keys) {
        boolean replaced = false;
        int told = 0;
        for (int i = 0; i < failures.size(); i += 2) {
            int failed = ((Long) failures.get(i)).intValue() - 1;
            renewed(told, failed);
            replaced |= notRenewed(this.renewals.get(failed), failures.get(i + 1), keys);
            told = failed + 1;
        }
        renewed(told, size());
        return replaced;
    }

    /** Tells each that there was no answer. */
    void failed(LockStoreException cause) {
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
                "Redis did not renew lock '" + keys.shown(renewal.lockName()) + "': " + RedisErrors.withRemedy(error),
                null,
                false,
                true));
        return RedisErrors.isOfReplaced(error);
    }

    private static String text(Object error) {
        return error instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : "" + error;
    }
}
