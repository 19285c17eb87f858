package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.LockLog;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * A connection of the store's own, opened and mended on one background thread. Whatever goes wrong on it has it checked:
 * if it does not answer, a new one is opened beside it and takes its place, for a connection whose other end has silently
 * gone looks open for minutes, and a client that reconnects by itself may wait longer than a lease lasts.
 */
final class PrivateLink implements RedisLink {

    private static final LockLog logger = LockLog.of(PrivateLink.class);

    private static final Duration COLD_START = Duration.ofSeconds(5);

    private final DerivedFactory recipe;

    private final LockKeys keys;

    private final Duration timeout;

    private final AtomicBoolean mending = new AtomicBoolean();

    private final ConnectionBreaks breaks = new ConnectionBreaks();

    private volatile @Nullable ScheduledThreadPoolExecutor background;

    private volatile @Nullable Listener listener;

    private volatile @Nullable PrivateConnection link;

    /**
     * Not connected yet, and used for every attempt until it is: destroying a client ends the threads that it shares with
     * the application when no other client is connected, while they still close its channels.
     */
    private volatile @Nullable LettuceConnectionFactory candidate;

    /** Attempts for which the start waits; one that succeeds counts for all. */
    private volatile CountDownLatch attempts = new CountDownLatch(0);

    private volatile @Nullable Throwable trouble;

    /** Whether the connection leads to a server that is not the master any more. */
    private volatile boolean misled;

    /** When a connection was opened, or the topology asked for, last. */
    private long lookedAt;

    private volatile ConnectionAttempts attempted;

    PrivateLink(DerivedFactory recipe, LockKeys keys, Duration timeout) {
        this.recipe = recipe;
        this.keys = keys;
        this.timeout = timeout;
        this.attempted = new ConnectionAttempts(recipe.servers());
    }

    @Override
    public void start(Listener listener) {
        this.listener = listener;
        this.attempted = new ConnectionAttempts(servers());
        this.trouble = null;
        this.misled = false;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-connection-");
        threads.setDaemon(true);
        this.background = new ScheduledThreadPoolExecutor(1, threads);
        this.mending.set(true);
        this.attempts = new CountDownLatch(2);
        schedule(this::mend, 0);
        try {
            // Milliseconds if Redis is there, two timeouts if it is silent, and the application starts all the same.
            // Two attempts, because a cold JVM may take longer to load the client than the first one may take.
            this.attempts.await(this.timeout.plus(COLD_START).toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop() {
        ScheduledThreadPoolExecutor executor = this.background;
        this.background = null;
        if (executor != null) {
            executor.shutdownNow();
            try {
                // What is being opened must not outlive this run.
                executor.awaitTermination(this.timeout.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }
        PrivateConnection current = this.link;
        this.link = null;
        if (current != null) {
            current.factory().destroy();
        }
        LettuceConnectionFactory unconnected = this.candidate;
        this.candidate = null;
        if (unconnected != null) {
            unconnected.destroy();
        }
    }

    @Override
    public boolean isConnected() {
        return this.link != null;
    }

    @Override
    public @Nullable StringRedisTemplate template() {
        PrivateConnection current = this.link;
        return current != null ? current.template() : null;
    }

    @Override
    public @Nullable Throwable trouble() {
        return this.trouble;
    }

    @Override
    public void suspect() {
        if (this.mending.compareAndSet(false, true)) {
            schedule(this::mend, 0);
        }
    }

    @Override
    public void misled() {
        this.misled = true;
        suspect();
    }

    private void schedule(Runnable task, long delayMillis) {
        ScheduledThreadPoolExecutor executor = this.background;
        if (executor != null) {
            try {
                ScheduledFuture<?> unused = executor.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException ex) {
                logger.debug("The connection is not mended any more: stopped.");
            }
        }
    }

    private void mend() {
        try {
            PrivateConnection current = this.link;
            boolean elsewhere = this.misled;
            long rest = current != null && (elsewhere || isCluster()) ? untilNextLook() : 0;
            if (rest > 0) {
                // The answer may be the same for a while, and then somebody would be asked all the time.
                schedule(this::mend, rest);
                return;
            }
            this.misled = false;
            if (current != null && isCluster()) {
                refresh(current.factory());
            } else if (current == null || elsewhere || !answers(current.factory())) {
                open(current);
            }
            this.attempted.succeeded();
            this.trouble = null;
            this.mending.set(false);
            this.attempts.countDown();
            this.attempts.countDown();
        } catch (Throwable ex) {
            this.trouble = ex;
            long pause = this.background != null ? this.attempted.failed(ex) : 0;
            this.attempts.countDown();
            schedule(this::mend, pause);
        }
    }

    private long untilNextLook() {
        return ConnectionAttempts.LONGEST_PAUSE_MILLIS
                - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.lookedAt);
    }

    /** Has Lettuce ask who serves which slot: by itself it does seldom when a node is gone, and later when it is silent. */
    private void refresh(LettuceConnectionFactory factory) {
        this.lookedAt = System.nanoTime();
        CompletionStage<?> unused = ((RedisClusterClient) factory.getRequiredNativeClient()).refreshPartitionsAsync();
    }

    private void open(@Nullable PrivateConnection replaced) {
        this.lookedAt = System.nanoTime();
        LettuceConnectionFactory factory = candidate();
        try {
            ping(factory);
        } catch (RuntimeException ex) {
            // It may be connected and yet not answer: the next attempt needs a new connection, not a new client.
            factory.resetConnection();
            throw ex;
        }
        this.candidate = null;
        if (this.background == null) {
            // Stopped meanwhile.
            factory.destroy();
            return;
        }
        RedisClusterAsyncCommands<byte[], byte[]> commands = ScriptCalls.commandsOver(factory);
        MixedSlots mixedSlots = new MixedSlots(servers());
        if (!isCluster()) {
            mixedSlots.probe(commands, this.keys);
        }
        this.link = PrivateConnection.over(factory, new ScriptCalls(commands, this.timeout, mixedSlots));
        Listener told = this.listener;
        if (told != null) {
            SubscriptionBreaks.of(factory, () -> told.subscriptionBroke(factory));
            told.connected(factory);
        }
        if (replaced != null) {
            replaced.factory().destroy();
        } else {
            PermissionCheck permissions = new PermissionCheck(commands, this.keys, this.recipe.database());
            new ServerCheck(commands, permissions, this.recipe.user()).run(AnswerDeadline.in(this.timeout));
        }
    }

    private LettuceConnectionFactory candidate() {
        LettuceConnectionFactory factory = this.candidate;
        if (factory == null) {
            factory = this.recipe.create();
            this.breaks.countThoseOf(factory);
            this.candidate = factory;
        }
        return factory;
    }

    private boolean answers(LettuceConnectionFactory factory) {
        try {
            ping(factory);
            return true;
        } catch (RuntimeException ex) {
            return false;
        }
    }

    private void ping(LettuceConnectionFactory factory) {
        try (RedisConnection connection = factory.getConnection()) {
            // In a cluster a ping asks every node, and one that is down must not cost the locks on the others; there
            // Lettuce looks after each node's connection.
            if (!isCluster()) {
                connection.ping();
            }
        }
    }

    @Override
    public boolean isPrivate() {
        return true;
    }

    @Override
    public boolean isCluster() {
        return this.recipe.isCluster();
    }

    @Override
    public boolean countsReceivers() {
        PrivateConnection current = this.link;
        return !isCluster() && (current == null || !current.calls().mixedSlots().areRefused());
    }

    @Override
    public @Nullable ScriptCalls calls() {
        PrivateConnection current = this.link;
        return current != null ? current.calls() : null;
    }

    @Override
    public long breaks() {
        // Lettuce 6.7 and newer reject what was in flight, older ones repeat it whatever they are told.
        return this.breaks.count();
    }

    @Override
    public String description() {
        return servers() + " over a private connection";
    }

    @Override
    public String servers() {
        return this.recipe.servers();
    }
}
