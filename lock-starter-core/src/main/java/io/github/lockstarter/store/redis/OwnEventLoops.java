package io.github.lockstarter.store.redis;

import io.github.lockstarter.text.Printable;
import io.lettuce.core.event.DefaultEventPublisherOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.EventLoopGroup;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The client resources of the private connections: the resources of the application, with separate event loops. Code
 * that blocks the application's event loops must not delay renewals. All other parts are shared and never shut down
 * here. Thread-safe.
 */
final class OwnEventLoops {

    private static final long SHUTDOWN_MILLIS = 1000;

    private final LettuceConnectionFactory application;

    private final ReentrantLock lock = new ReentrantLock();

    private @Nullable ClientResources resources;

    OwnEventLoops(LettuceConnectionFactory application) {
        this.application = application;
    }

    /**
     * Returns the resources, which are created for the first client, and again after a shutdown or when an event loop
     * has ended: Netty ends one that finds the heap full, and its group does not replace it.
     */
    ClientResources resources() {
        this.lock.lock();
        try {
            ClientResources current = this.resources;
            if (current != null && loops(current).hasEnded()) {
                Future<?> unused = current.shutdown(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS);
                current = null;
            }
            if (current == null) {
                current = derive(this.application.getClientConfiguration());
                this.resources = current;
            }
            return current;
        } finally {
            this.lock.unlock();
        }
    }

    /**
     * Runs a task once after some nanoseconds, on an event loop, which it must not block.
     *
     * @throws IllegalStateException if no client has been opened
     */
    void runLater(Runnable task, long delayNanos) {
        EventLoopGroup group = loops(resources()).groups.values().stream()
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(Printable.of("no client is open")));
        Future<?> unused = group.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    private static Loops loops(ClientResources resources) {
        return (Loops) resources.eventLoopGroupProvider();
    }

    private static ClientResources derive(LettuceClientConfiguration client) {
        Loops loops = new Loops();
        ClientResources given = client.getClientResources().orElse(null);
        if (given == null) {
            return ClientResources.builder()
                    .eventLoopGroupProvider(loops)
                    .nettyCustomizer(PipelineGuard.after(new NettyCustomizer() {}))
                    .build();
        }
        // What is set here counts as shared, so that a shutdown leaves it alone. The application's resources publish
        // the metrics of the shared recorder.
        return given.mutate()
                .eventLoopGroupProvider(loops)
                .nettyCustomizer(PipelineGuard.after(given.nettyCustomizer()))
                .eventExecutorGroup(given.eventExecutorGroup())
                .timer(new StoppableTimer(given.timer()))
                .commandLatencyRecorder(given.commandLatencyRecorder())
                .commandLatencyPublisherOptions(DefaultEventPublisherOptions.disabled())
                .build();
    }

    /** Ends the event loops, and waits for their threads for a limited time. All clients must have been closed. */
    void shutdown() {
        ClientResources current;
        this.lock.lock();
        try {
            current = this.resources;
            this.resources = null;
        } finally {
            this.lock.unlock();
        }
        if (current != null) {
            // Lettuce does not cancel the timeouts of attempts to connect: each would log that its event loop is gone.
            Set<Timeout> unusedTimeouts = current.timer().stop();
            boolean unused = current.eventLoopGroupProvider()
                    .shutdown(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
                    .awaitUninterruptibly(SHUTDOWN_MILLIS);
            Future<?> unusedToo = current.shutdown(0, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** The timer of the application, restricted to the tasks of one run of the event loops. */
    private static final class StoppableTimer implements Timer {

        private final Timer timer;

        private volatile boolean stopped;

        StoppableTimer(Timer timer) {
            this.timer = timer;
        }

        @Override
        public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
            return this.timer.newTimeout(
                    timeout -> {
                        if (!this.stopped) {
                            task.run(timeout);
                        }
                    },
                    delay,
                    unit);
        }

        @Override
        public Set<Timeout> stop() {
            this.stopped = true;
            return Set.of();
        }
    }

    /**
     * Keeps the threads until the shutdown: Lettuce would end them with the last client, while Netty still needs them
     * for a connection that is being opened.
     */
    private static final class Loops extends DefaultEventLoopGroupProvider {

        private final Map<Class<?>, EventLoopGroup> groups = new ConcurrentHashMap<>();

        Loops() {
            // Netty keeps buffers and recycles objects only for threads of its own kind.
            super(DefaultClientResources.DEFAULT_IO_THREADS, pool -> new DefaultThreadFactory("lock-io", true));
        }

        /** Returns whether an event loop has ended. */
        boolean hasEnded() {
            for (EventLoopGroup group : this.groups.values()) {
                for (EventExecutor loop : group) {
                    if (loop.isShuttingDown()) {
                        return true;
                    }
                }
            }
            return false;
        }

        @Override
        public <T extends EventLoopGroup> T allocate(Class<T> type) {
            return type.cast(this.groups.computeIfAbsent(type, unused -> super.allocate(type)));
        }

        @Override
        public Promise<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
            return new DefaultPromise<Boolean>(ImmediateEventExecutor.INSTANCE).setSuccess(true);
        }
    }
}
