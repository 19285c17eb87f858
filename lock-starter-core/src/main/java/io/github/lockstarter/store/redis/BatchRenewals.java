package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Renewal;
import java.util.ArrayList;
import java.util.List;
import org.springframework.data.redis.core.StringRedisTemplate;

/** One script call for all: where every key lives on one server. */
final class BatchRenewals implements Renewals {

    private final LockKeys keys;

    BatchRenewals(LockKeys keys) {
        this.keys = keys;
    }

    @Override
    public void renew(StringRedisTemplate redis, List<? extends Renewal> renewals, Runnable onFailure) {
        long leaseMillis = renewals.get(0).leaseMillis();
        List<String> names = new ArrayList<>(renewals.size());
        Object[] arguments = new Object[1 + renewals.size()];
        arguments[0] = Long.toString(leaseMillis);
        for (int i = 0; i < renewals.size(); i++) {
            Renewal renewal = renewals.get(i);
            if (renewal.leaseMillis() != leaseMillis) {
                // One script call is for one lease.
                renew(redis, renewals.subList(0, i), onFailure);
                renew(redis, renewals.subList(i, renewals.size()), onFailure);
                return;
            }
            names.add(this.keys.keyOf(renewal.lockName()));
            arguments[1 + i] = renewal.acquisitionId();
        }
        List<?> replies = redis.execute(LuaScript.RENEW, names, arguments);
        if (replies == null || replies.size() != renewals.size()) {
            throw new LockStoreException("Redis answered renewals with " + replies + ".", null, true, true);
        }
        for (int i = 0; i < renewals.size(); i++) {
            tell(renewals.get(i), replies.get(i));
        }
    }

    /** Puts one entry of the script's answer into words. */
    static void tell(Renewal renewal, Object reply) {
        if (!(reply instanceof Long code)) {
            renewal.failed(new LockStoreException(
                    "Redis did not renew lock '" + renewal.lockName() + "': " + reply, null, false, true));
        } else if (code > 0) {
            renewal.renewed();
        } else {
            renewal.lost(code == 0 ? LossReason.DELETED : LossReason.TAKEN_OVER);
        }
    }
}
