package io.github.lockstarter.store.redis.script;

import io.github.lockstarter.store.redis.error.ErrorReplies;
import io.github.lockstarter.text.LockLog;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Records whether the server of one connection executes a script with keys of different hash slots, which renewing many
 * locks in one call needs. A node of a cluster rejects such a call before it executes anything, and so does a proxy in
 * front of a cluster; both can be addressed as a single server. After a rejection no such call is made over that
 * connection. Thread-safe.
 */
public final class CrossSlotSupport {

    private static final LockLog logger = LockLog.of(CrossSlotSupport.class);

    private final String servers;

    private final AtomicBoolean rejected = new AtomicBoolean();

    /**
     * Creates the record for one connection; multi-slot calls count as supported.
     *
     * @param servers the servers as messages name them, without credentials
     */
    public CrossSlotSupport(String servers) {
        this.servers = servers;
    }

    /**
     * Sends a script call with two keys of different slots that no lock has, without waiting for the reply. It arrives
     * before the replies to all commands that are sent later over the same connection.
     */
    public void probe(RedisClusterAsyncCommands<byte[], byte[]> commands, LockKeys keys) {
        byte[][] ofTwoSlots = {bytes(keys.ofNoLock('0')), bytes(keys.ofNoLock('1'))};
        try {
            CompletionStage<?> unused = commands.eval(bytes("return 1"), ScriptOutputType.INTEGER, ofTwoSlots)
                    .exceptionally(failure -> {
                        boolean unusedResult = recordRejection(failure);
                        return null;
                    });
        } catch (RuntimeException ex) {
            logger.debug("Support for keys of different slots was not checked.", ex);
        }
    }

    /** Returns whether the server rejected keys of different slots. */
    public boolean isRejected() {
        return this.rejected.get();
    }

    /** Records the rejection if that is why a call with several keys failed, and returns whether it was. */
    public boolean recordRejection(Throwable failure) {
        boolean crossSlot = ErrorReplies.isCrossSlot(failure);
        if (crossSlot) {
            recordRejection();
        }
        return crossSlot;
    }

    /** Records a rejection; the first one is logged at INFO. */
    public void recordRejection() {
        if (this.rejected.compareAndSet(false, true)) {
            logger.info(
                    this.servers + " belongs to a cluster and rejects commands with keys of different slots. Each lock"
                            + " is renewed with a command of its own instead of many locks with one; nothing else changes. If the"
                            + " cluster has several shards, set spring.data.redis.cluster.nodes instead of host and port.");
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
