package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LockLog;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.BooleanListOutput;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.SocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Loads the scripts of blocking calls that a server lacks, in the background, when a connection to it is opened or
 * reopened: to the server or, in a cluster, to a node. Otherwise the first call of each script would take two round
 * trips, as it does where it precedes the loading, and at a server that refuses {@code SCRIPT}. Thread-safe, except
 * that connections must be watched one after another.
 */
final class ScriptLoading implements RedisConnectionStateListener {

    private static final LockLog logger = LockLog.of(ScriptLoading.class);

    private static final List<LuaScript> SCRIPTS = List.of(
            LuaScript.ACQUIRE,
            LuaScript.RELEASE,
            LuaScript.KEEP,
            LuaScript.DOWNGRADE,
            LuaScript.RENEW,
            LuaScript.INSPECT,
            LuaScript.INSTANCE);

    private final String servers;

    private final boolean cluster;

    /** Connections that were opened before the texts were known that the server needs. */
    private final Queue<StatefulConnection<?, ?>> early = new ConcurrentLinkedQueue<>();

    /** {@code null} until the texts are known that the server needs. */
    private volatile @Nullable Set<LuaScript.Variant> needed;

    /**
     * Whether nothing is loaded any more: the server has refused that, or has not answered. Some proxies end a
     * connection because of a command that they do not have, and would end the next one as well.
     */
    private final AtomicBoolean hasFailed = new AtomicBoolean();

    /**
     * Creates a loading.
     *
     * @param servers the servers as messages name them, without credentials
     * @param cluster whether the servers are a cluster, whose client closes connections that it has opened for itself
     */
    ScriptLoading(String servers, boolean cluster) {
        this.servers = servers;
        this.cluster = cluster;
    }

    /** Watches the connections of another factory from now on. */
    void watch(LettuceConnectionFactory factory) {
        this.needed = null;
        this.early.clear();
        factory.getRequiredNativeClient().addListener(this);
    }

    /**
     * Begins to load.
     *
     * @param needed the variants of the texts that the server needs
     */
    void begin(Set<LuaScript.Variant> needed) {
        this.needed = needed;
        for (StatefulConnection<?, ?> next = this.early.poll(); next != null; next = this.early.poll()) {
            load(next, needed);
        }
    }

    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> connection, @Nullable SocketAddress socketAddress) {
        if (connection instanceof StatefulConnection<?, ?> opened
                && !(connection instanceof StatefulRedisPubSubConnection)) {
            this.early.add(opened);
            Set<LuaScript.Variant> known = this.needed;
            if (known != null) {
                begin(known);
            }
        }
    }

    private void load(StatefulConnection<?, ?> connection, Set<LuaScript.Variant> variants) {
        if (this.hasFailed.get() || !connection.isOpen()) {
            return;
        }
        List<RedisScript<Object>> scripts =
                SCRIPTS.stream().map(each -> each.in(variants)).toList();
        CommandArgs<byte[], byte[]> digests = new CommandArgs<>(ByteArrayCodec.INSTANCE).add("EXISTS");
        scripts.forEach(each -> digests.add(each.getSha1()));
        CompletionStage<?> unused = dispatch(connection, new BooleanListOutput<>(ByteArrayCodec.INSTANCE), digests)
                .whenComplete((present, failure) -> {
                    if (failure != null) {
                        failed(failure, !this.cluster);
                        return;
                    }
                    for (int i = 0; i < scripts.size(); i++) {
                        if (i < present.size() && !present.get(i)) {
                            load(connection, scripts.get(i));
                        }
                    }
                });
    }

    private void load(StatefulConnection<?, ?> connection, RedisScript<Object> script) {
        CommandArgs<byte[], byte[]> text = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add("LOAD")
                .add(LettuceScripts.bytes(script.getScriptAsString()));
        CompletionStage<?> unused = dispatch(connection, new StatusOutput<>(ByteArrayCodec.INSTANCE), text)
                .whenComplete((digest, failure) -> {
                    if (failure != null) {
                        failed(failure, false);
                    }
                });
    }

    /** Sends a command over a connection of any codec. */
    @SuppressWarnings("unchecked")
    private static <T> CompletionStage<T> dispatch(
            StatefulConnection<?, ?> connection,
            CommandOutput<byte[], byte[], T> output,
            CommandArgs<byte[], byte[]> arguments) {
        AsyncCommand<byte[], byte[], T> command =
                new AsyncCommand<>(new Command<>(CommandType.SCRIPT, output, arguments));
        ((StatefulConnection<byte[], byte[]>) connection).dispatch(command);
        return command;
    }

    /**
     * Notes a failure.
     *
     * @param endsConnections whether a command without a reply may have ended the connection
     */
    private void failed(Throwable failure, boolean endsConnections) {
        String words = RedisErrors.errorReply(failure);
        boolean isFinal = words != null ? RedisErrors.isRefusal(words) : endsConnections;
        if (isFinal && this.hasFailed.compareAndSet(false, true)) {
            logger.info("Scripts of distributed locks are not loaded in advance at " + this.servers + " ("
                    + (words != null ? words : RedisErrors.rootMessage(failure))
                    + "). The first call of each one takes one round trip more; nothing else changes.");
        }
    }
}
