package io.github.lockstarter.store.redis.connection;

import io.github.lockstarter.store.redis.script.CrossSlotSupport;
import io.github.lockstarter.store.redis.script.LettuceScriptExecutor;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Opens, tests and checks private connections. Called by the connection thread, except {@link #readFormat}. */
final class ConnectionOpener {

    private final DerivedFactory recipe;

    private final LockKeys keys;

    private final Duration timeout;

    private final OptionalCommands optional;

    private final DisconnectMonitor monitor;

    private final Consumer<RedisConnectionFactory> onSubscriptionLost;

    private final WireFormat format;

    ConnectionOpener(
            DerivedFactory recipe,
            LockKeys keys,
            Duration timeout,
            OptionalCommands optional,
            DisconnectMonitor monitor,
            Consumer<RedisConnectionFactory> onSubscriptionLost) {
        this.recipe = recipe;
        this.keys = keys;
        this.timeout = timeout;
        this.optional = optional;
        this.monitor = monitor;
        this.onSubscriptionLost = onSubscriptionLost;
        this.format = new WireFormat(keys, recipe.servers());
    }

    /** Returns the comparison of formats, of which each connection reads the version in Redis. */
    WireFormat format() {
        return this.format;
    }

    /**
     * Opens a connection and waits until it has answered. The caller destroys its factory.
     *
     * @param master the server if Sentinel has named it, null otherwise
     * @throws RuntimeException if the server cannot be reached or does not answer
     */
    OpenConnection open(@Nullable RedisNode master) {
        // RedisNode.getRequiredHost() is missing in Spring Data Redis 3.5.
        DerivedFactory target = master != null
                ? this.recipe.ofNode(Objects.requireNonNull(master.getHost()), Objects.requireNonNull(master.getPort()))
                : this.recipe;
        LettuceConnectionFactory factory = target.create();
        try {
            this.monitor.watch(factory, () -> this.onSubscriptionLost.accept(factory));
            RedisClusterAsyncCommands<byte[], byte[]> commands = LettuceScriptExecutor.commandsOver(factory);
            CrossSlotSupport crossSlotSupport = new CrossSlotSupport(this.recipe.servers());
            OpenConnection opened = OpenConnection.over(
                    master,
                    factory,
                    new LettuceScriptExecutor(commands, this.timeout, this.recipe::runLater, crossSlotSupport));
            ping(opened);
            if (!this.recipe.isCluster()) {
                crossSlotSupport.probe(commands, this.keys);
            }
            return opened;
        } catch (RuntimeException ex) {
            factory.destroy();
            throw ex;
        }
    }

    /** Returns whether the connection answers within the timeout. */
    boolean answers(OpenConnection connection) {
        try {
            ping(connection);
            return true;
        } catch (RuntimeException ex) {
            return false;
        }
    }

    private void ping(OpenConnection opened) {
        // In a cluster PING would ask every node, and one that is down must not affect locks on the others. There
        // Lettuce supervises the connection to each node.
        if (!this.recipe.isCluster()) {
            // Sent first on the same connection, so that its reply arrives first, without a round trip of its own.
            readFormat(opened);
            try (RedisConnection connection = opened.factory().getConnection()) {
                connection.ping();
            }
        }
    }

    /** Reads the version of the format in the background. Any thread may call. */
    void readFormat(OpenConnection connection) {
        CompletionStage<?> unused = this.format.read(connection.scripts());
    }

    /** Refreshes the topology of a cluster in the background, which Lettuce does late after the failure of a node. */
    void refreshTopology(OpenConnection connection) {
        readFormat(connection);
        CompletionStage<?> unused =
                ((RedisClusterClient) connection.factory().getRequiredNativeClient()).refreshPartitionsAsync();
    }

    /** Checks the server's permissions and eviction policy, and logs what is wrong. In a cluster also reads the format. */
    void checkServer(OpenConnection connection) {
        ReplyDeadline deadline = ReplyDeadline.in(this.timeout);
        Future<?> version = this.recipe.isCluster()
                ? this.format.read(connection.scripts())
                : CompletableFuture.completedFuture(null);
        RedisClusterAsyncCommands<byte[], byte[]> commands = LettuceScriptExecutor.commandsOver(connection.factory());
        PermissionCheck permissions = new PermissionCheck(commands, this.keys, this.recipe.database(), this.optional);
        new ServerCheck(commands, permissions, this.recipe.user()).run(deadline);
        // The node with that key may be another one than those that have answered.
        Object unused = deadline.errorOf(version);
    }
}
