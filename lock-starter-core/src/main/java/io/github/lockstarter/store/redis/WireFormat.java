package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LockLog;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Compares the format in which Redis stores locks with the format of this library, by its version in the key {@code
 * prefix:format}. The version is read, and written if it is absent, whenever a connection is opened or checked. While
 * it differs, locks must not be acquired, because the scripts of two formats would misread the same key; renewals and
 * releases go on. A version counts as equal until it is read. Thread-safe.
 */
final class WireFormat {

    /**
     * Version of this library. It changes if the scripts cannot work together with the scripts of the previous version.
     */
    static final long VERSION = 1;

    private static final LockLog logger = LockLog.of(WireFormat.class);

    private final LockKeys keys;

    private final String servers;

    /** The version in Redis, as far as it is known. Locks may be acquired while it equals {@link #VERSION}. */
    volatile long stored = VERSION;

    /**
     * Creates a comparison whose version counts as equal until it is read.
     *
     * @param servers the servers as messages name them, without credentials
     */
    WireFormat(LockKeys keys, String servers) {
        this.keys = keys;
        this.servers = servers;
    }

    /** Creates the exception for a lock that is not acquired because the formats differ. */
    LockStoreException refusal(String lockName) {
        return new LockStoreException(
                difference(this.stored) + " A command for " + this.keys.describe(lockName)
                        + " was not sent; locks that are"
                        + " held are still renewed and released. Use the version of lock-starter that the other instances"
                        + " use; the page docs/reference/upgrading.md of the manual has the steps of an upgrade.",
                null,
                false,
                false);
    }

    /** Reads the version; returns a future that is completed with the reply, whatever it is. */
    CompletableFuture<?> read(OpenConnection scripts) {
        return scripts.start(new ScriptCommands.Call(
                        LuaScript.FORMAT, List.of(this.keys.ofFormat()), Long.toString(VERSION)))
                .handle((version, failure) -> {
                    replied(version);
                    return version;
                });
    }

    /** The version as far as it is known: a failure leaves it, and the next connection reads it again. */
    private void replied(@Nullable Object reply) {
        // Versions are positive. On a full heap, the client has passed on the reply to another command.
        if (!(reply instanceof Long version) || version < 1) {
            return;
        }
        long before = this.stored;
        this.stored = version;
        if (version != VERSION && version != before) {
            logger.error(difference(version) + " New acquisitions fail; locks that are held are still renewed and"
                    + " released. The page docs/reference/upgrading.md of the manual has the steps of an upgrade.");
        } else if (version == VERSION && before != VERSION) {
            logger.info(this.servers + " stores locks in format " + version + " again. Acquisitions go on.");
        }
    }

    private String difference(long version) {
        return this.servers + " stores locks in format " + version + " (key " + this.keys.ofFormat()
                + "), but this version of lock-starter uses format " + VERSION + '.';
    }
}
