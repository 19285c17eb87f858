package io.github.lockstarter.store.redis.connection;

import io.github.lockstarter.text.LockLog;
import io.lettuce.core.cluster.event.ClusterTopologyChangedEvent;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisNode;
import reactor.core.Disposable;

/**
 * Notices that another server has become the master while the connection still answers: an old master that is cut off
 * from Sentinels and replicas goes on for its clients. Asks the Sentinels once in a while and with each of their
 * messages; in a cluster Lettuce asks for the topology. {@link #find} and {@link #connected} are called by the connection
 * thread.
 */
final class MasterWatch {

    private static final LockLog logger = LockLog.of(MasterWatch.class);

    private final DerivedFactory recipe;

    private final Duration timeout;

    private final Supplier<@Nullable OpenConnection> connection;

    private final Runnable onNewMaster;

    private final Runnable onMoved;

    /** Null unless Sentinel names the master. */
    private final @Nullable Sentinels sentinels;

    /** Questions while there is a connection; connection thread only. */
    private ConnectionAttempts questions;

    /** The master of the last connection; connection thread only. */
    private @Nullable RedisNode last;

    private volatile @Nullable ScheduledExecutorService background;

    private volatile @Nullable Disposable topologyChanges;

    /**
     * Creates a watch that has not started.
     *
     * @param connection returns the connection; null while there is none, when each attempt to open one asks
     * @param onNewMaster called when the connection leads to another server than the master
     * @param onMoved called when commands go to another master than before
     */
    MasterWatch(
            DerivedFactory recipe,
            Duration timeout,
            Supplier<@Nullable OpenConnection> connection,
            Runnable onNewMaster,
            Runnable onMoved) {
        this.recipe = recipe;
        this.timeout = timeout;
        this.connection = connection;
        this.onNewMaster = onNewMaster;
        this.onMoved = onMoved;
        this.sentinels = recipe.isSentinel() ? new Sentinels(recipe, timeout, this::askInBackground) : null;
        this.questions = new ConnectionAttempts(recipe.servers());
    }

    /** Starts to watch, with that connection thread. */
    void start(ScheduledExecutorService executor) {
        this.background = executor;
        this.last = null;
        this.questions = new ConnectionAttempts(this.recipe.servers());
        if (this.recipe.isCluster()) {
            this.topologyChanges = this.recipe
                    .clientResources()
                    .eventBus()
                    .get()
                    .ofType(ClusterTopologyChangedEvent.class)
                    .subscribe(change -> this.onMoved.run());
        } else if (this.sentinels != null) {
            long period = DerivedOptions.refreshPeriod(this.timeout).toMillis();
            ScheduledFuture<?> unused =
                    executor.scheduleWithFixedDelay(this::ask, period, period, TimeUnit.MILLISECONDS);
        }
    }

    /** Stops to watch; called when the connection thread has ended. */
    void stop() {
        this.background = null;
        Disposable changes = this.topologyChanges;
        if (changes != null) {
            changes.dispose();
        }
        if (this.sentinels != null) {
            this.sentinels.close();
        }
    }

    /** Asks the Sentinels for the master, and waits for their answers; returns null if there are no Sentinels. */
    @Nullable
    RedisNode find() {
        try {
            return this.sentinels != null ? this.sentinels.find(null).join() : null;
        } catch (CompletionException ex) {
            throw ex.getCause() instanceof RuntimeException cause ? cause : ex;
        }
    }

    /** Notes that commands go to that master from now on. */
    void connected(@Nullable RedisNode master) {
        RedisNode before = this.last;
        this.last = master;
        if (before != null && !before.equals(master)) {
            logger.info("Distributed locks use the new master " + master + " instead of " + before + '.');
            this.onMoved.run();
        }
    }

    private void ask() {
        OpenConnection current = this.connection.get();
        if (current == null || this.sentinels == null) {
            return;
        }
        try {
            CompletableFuture<?> unused = this.sentinels
                    .find(current.master())
                    .whenComplete((master, failure) -> inBackground(() -> answered(current.master(), master, failure)));
        } catch (RuntimeException ex) {
            // An exception would end the periodic task.
            answered(current.master(), null, ex);
        }
    }

    private void answered(@Nullable RedisNode known, @Nullable RedisNode master, @Nullable Throwable failure) {
        if (failure != null) {
            long unused = this.questions.failed(failure);
            return;
        }
        this.questions.succeeded();
        OpenConnection current = this.connection.get();
        if (current != null && Objects.equals(current.master(), known) && !Objects.equals(master, known)) {
            this.onNewMaster.run();
        }
    }

    private void askInBackground() {
        inBackground(this::ask);
    }

    private void inBackground(Runnable task) {
        ScheduledExecutorService executor = this.background;
        try {
            if (executor != null) {
                executor.execute(task);
            }
        } catch (RejectedExecutionException ex) {
            logger.debug("The master is not watched any more, because the store was stopped.");
        }
    }
}
