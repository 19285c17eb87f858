package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.redis.connection.StoreConnection;
import io.github.lockstarter.store.redis.script.LuaScript;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends the commands that change a grant without releasing the lock: the minimum hold and the downgrade. Thread-safe.
 */
final class GrantChanges {

    private final LockCommands commands;

    private final StoreConnection connection;

    GrantChanges(LockCommands commands, StoreConnection connection) {
        this.commands = commands;
        this.connection = connection;
    }

    ReleaseReply keep(String lockName, String acquisitionId, long keepMillis) {
        long disconnects = this.connection.disconnects();
        long result = this.commands.execute(lockName, LuaScript.KEEP, acquisitionId, Long.toString(keepMillis));
        return toReply(result, disconnects);
    }

    /** Returns null if the connection is the application's, which only offers blocking calls. */
    @Nullable
    CompletionStage<ReleaseReply> keepLater(String lockName, String acquisitionId, long keepMillis) {
        long disconnects = this.connection.disconnects();
        return this.commands.send(
                lockName,
                LuaScript.KEEP,
                new String[] {acquisitionId, Long.toString(keepMillis)},
                result -> toReply(result, disconnects));
    }

    ReleaseReply downgrade(String lockName, String acquisitionId, long lastToken, long leaseMillis) {
        long disconnects = this.connection.disconnects();
        long result = this.commands.execute(
                lockName,
                LuaScript.DOWNGRADE,
                acquisitionId,
                Long.toString(leaseMillis),
                Long.toString(lastToken),
                this.connection.countsAllReceivers() ? "1" : "0");
        return toReply(result, disconnects);
    }

    /**
     * Releases on behalf of owners that have been read. Their ids are named because a repetition by the client must not release
     * the lock of the next owner.
     */
    static boolean releaseAll(List<String> owners, Function<String, ReleaseReply> release) {
        boolean released = false;
        for (String owner : owners) {
            ReleaseReply reply = release.apply(owner);
            released |= reply.isReleased() || reply.outcome() == ReleaseReply.Outcome.UNPROVEN;
        }
        return released;
    }

    private ReleaseReply toReply(long result, long disconnectsBefore) {
        return ReleaseReplyCodes.toReply(result, this.connection.disconnects() != disconnectsBefore);
    }
}
