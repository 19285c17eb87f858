package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.LockLog;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether the server at the other end of a connection executes a script for keys of different slots, as renewals of many
 * locks in one call want it. A node of a cluster refuses that before it executes anything, and so does a proxy in front of
 * one, although each can be addressed as a single server. Once refused, it is not tried again over that connection.
 */
final class MixedSlots {

    private static final LockLog logger = LockLog.of(MixedSlots.class);

    private final String servers;

    private final AtomicBoolean refused = new AtomicBoolean();

    /**
     * For one connection.
     *
     * @param servers what they are called in the log
     */
    MixedSlots(String servers) {
        this.servers = servers;
    }

    /** Asks for two keys that no lock has. What is sent after that over the same connection is answered after that. */
    void probe(RedisClusterAsyncCommands<byte[], byte[]> commands, LockKeys keys) {
        byte[][] apart = {bytes(keys.ofNoLock('0')), bytes(keys.ofNoLock('1'))};
        try {
            CompletionStage<?> unused = commands.eval(bytes("return 1"), ScriptOutputType.INTEGER, apart)
                    .exceptionally(failure -> {
                        boolean unusedResult = isRefusal(failure);
                        return null;
                    });
        } catch (RuntimeException ex) {
            logger.debug("The server was not asked about keys of different slots.", ex);
        }
    }

    boolean areRefused() {
        return this.refused.get();
    }

    /** Whether a call with several keys failed because of their slots; if so, calls get one key from now on. */
    boolean isRefusal(Throwable failure) {
        boolean refusal = RedisErrors.isOfSlots(failure);
        if (refusal) {
            refuse();
        }
        return refusal;
    }

    /** Notes a refusal that was found in an answer. */
    void refuse() {
        if (this.refused.compareAndSet(false, true)) {
            logger.info(
                    this.servers + " belongs to a cluster: it takes no keys of different slots in one command. Locks"
                            + " are renewed with one command each instead of one for up to " + Renewals.MOST
                            + " locks; nothing else changes. If the cluster has several shards, set"
                            + " spring.data.redis.cluster.nodes instead of host and port.");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
