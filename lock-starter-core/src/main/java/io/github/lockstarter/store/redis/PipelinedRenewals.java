package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.Renewal;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * One script call for each lock, all sent before the first answer: for a cluster, whose keys live in different slots and
 * on different nodes. A node that is down costs its own locks their renewal and nobody else, because each call has its
 * own answer.
 */
final class PipelinedRenewals implements Renewals {

    private final LockKeys keys;

    PipelinedRenewals(LockKeys keys) {
        this.keys = keys;
    }

    @Override
    public void renew(StringRedisTemplate redis, List<? extends Renewal> renewals, Runnable onFailure) {
        RedisConnectionFactory factory = redis.getRequiredConnectionFactory();
        try (RedisConnection connection = factory.getConnection()) {
            @SuppressWarnings("unchecked")
            RedisClusterAsyncCommands<byte[], byte[]> commands =
                    (RedisClusterAsyncCommands<byte[], byte[]>) connection.getNativeConnection();
            for (Renewal renewal : renewals) {
                new Call(commands, renewal, onFailure).send();
            }
        }
    }

    private final class Call {

        private final RedisClusterAsyncCommands<byte[], byte[]> commands;

        private final Renewal renewal;

        private final Runnable onFailure;

        private final byte[][] key;

        private final byte[][] arguments;

        Call(RedisClusterAsyncCommands<byte[], byte[]> commands, Renewal renewal, Runnable onFailure) {
            this.commands = commands;
            this.renewal = renewal;
            this.onFailure = onFailure;
            this.key = new byte[][] {bytes(PipelinedRenewals.this.keys.keyOf(renewal.lockName()))};
            this.arguments = new byte[][] {bytes(renewal.acquisitionId()), bytes(Long.toString(renewal.leaseMillis()))};
        }

        void send() {
            try {
                String sha1 = LuaScript.RENEW.getSha1();
                answer(this.commands.evalsha(sha1, ScriptOutputType.MULTI, this.key, this.arguments), true);
            } catch (RuntimeException ex) {
                failed(ex);
            }
        }

        private void answer(CompletionStage<List<Object>> reply, boolean mayRepeat) {
            reply.whenComplete((answers, failure) -> {
                if (failure == null) {
                    Object answer = answers.get(0);
                    BatchRenewals.tell(
                            this.renewal,
                            answer instanceof byte[] text ? new String(text, StandardCharsets.UTF_8) : answer);
                } else if (mayRepeat && failure instanceof RedisNoScriptException) {
                    // A node that has not seen the script yet, after a failover for example, learns it this way.
                    byte[] text = bytes(LuaScript.RENEW.getScriptAsString());
                    answer(this.commands.eval(text, ScriptOutputType.MULTI, this.key, this.arguments), false);
                } else {
                    failed(failure);
                }
            });
        }

        private void failed(Throwable failure) {
            RuntimeException cause =
                    failure instanceof RuntimeException known ? known : new IllegalStateException(failure);
            this.renewal.failed(RedisErrors.translate(cause, this.renewal.lockName(), true));
            this.onFailure.run();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
