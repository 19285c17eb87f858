package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.Renewal;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Brings renewals to Redis. In a cluster all are sent before the first answer, so that a node that is down costs its own
 * locks their renewal and nobody else. Elsewhere each call waits for its answer: an acquire or a release on the same
 * connection must not stand behind the renewals of 10,000 locks.
 */
final class Renewals {

    /** Long enough to share the costs of a call, short enough to keep nobody else waiting for a millisecond. */
    static final int MOST = 100;

    private final LockKeys keys;

    private final RedisLink link;

    /** In a cluster each key may be in a slot of its own, and a foreign connection may lead to one. */
    private final int atOnce;

    Renewals(LockKeys keys, RedisLink link) {
        this.keys = keys;
        this.link = link;
        this.atOnce = link.isPrivate() && !link.isCluster() ? MOST : 1;
    }

    /** Tells each renewal how it went, now or when the answer comes. */
    void renew(List<? extends Renewal> renewals) {
        for (int from = 0; from < renewals.size(); ) {
            RenewalBatch batch = RenewalBatch.firstOf(renewals.subList(from, renewals.size()), this.atOnce);
            try {
                send(batch);
            } catch (RuntimeException ex) {
                failed(batch, ex);
            }
            from += batch.size();
        }
    }

    private void send(RenewalBatch batch) {
        ScriptCalls calls = this.link.calls();
        StringRedisTemplate redis = this.link.template();
        List<String> names = batch.keys(this.keys);
        if (calls != null && this.link.isCluster()) {
            CompletionStage<List<Object>> answer =
                    calls.send(LuaScript.RENEW, names, batch.leaseMillis(), batch.acquisitionIds());
            CompletionStage<?> unused = answer.thenAccept(failures -> answered(batch, failures))
                    .exceptionally(failure -> {
                        failed(batch, failure);
                        return null;
                    });
        } else if (calls != null) {
            answered(batch, calls.call(LuaScript.RENEW, names, batch.leaseMillis(), batch.acquisitionIds()));
        } else if (redis != null) {
            List<?> failures = redis.execute(LuaScript.RENEW, names, batch.leaseMillis(), batch.acquisitionIds());
            if (failures == null) {
                throw RedisErrors.inTransaction(batch.subject());
            }
            answered(batch, failures);
        } else {
            throw RedisErrors.notConnected(batch.subject(), this.link);
        }
    }

    private void answered(RenewalBatch batch, List<?> failures) {
        if (batch.answered(failures)) {
            this.link.misled();
        }
    }

    private void failed(RenewalBatch batch, Throwable failure) {
        batch.failed(this.link.failed(failure, batch.subject()));
    }
}
