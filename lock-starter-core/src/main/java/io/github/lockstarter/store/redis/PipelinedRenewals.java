package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.Renewal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * One script call for each lock, all sent before the first answer: for a cluster, whose keys live in different slots and
 * on different nodes. A node that is down costs its own locks their renewal and nobody else, because each call has its
 * own answer.
 */
final class PipelinedRenewals implements Renewals {

    private final LockKeys keys;

    private final RedisLink link;

    PipelinedRenewals(LockKeys keys, RedisLink link) {
        this.keys = keys;
        this.link = link;
    }

    @Override
    public void renew(StringRedisTemplate redis, List<? extends Renewal> renewals, Runnable onFailure) {
        ScriptCalls calls = this.link.calls();
        if (calls == null) {
            throw RedisErrors.notConnected(renewals.get(0).lockName(), this.link.trouble());
        }
        for (Renewal renewal : renewals) {
            try {
                send(calls, renewal, onFailure);
            } catch (RuntimeException ex) {
                failed(renewal, ex, onFailure);
            }
        }
    }

    private void send(ScriptCalls calls, Renewal renewal, Runnable onFailure) {
        CompletionStage<List<Object>> reply = calls.sendForList(
                LuaScript.RENEW,
                this.keys.keyOf(renewal.lockName()),
                Long.toString(renewal.leaseMillis()),
                renewal.acquisitionId());
        CompletionStage<?> unused = reply.whenComplete((answers, failure) -> {
            if (failure != null) {
                failed(renewal, failure, onFailure);
            } else {
                Object answer = answers.get(0);
                BatchRenewals.tell(
                        renewal, answer instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : answer);
            }
        });
    }

    private static void failed(Renewal renewal, Throwable failure, Runnable onFailure) {
        renewal.failed(RedisErrors.translate(failure, renewal.lockName(), true));
        onFailure.run();
    }
}
