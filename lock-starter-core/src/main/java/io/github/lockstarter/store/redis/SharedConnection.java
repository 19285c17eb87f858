package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.util.ClassUtils;

/**
 * The application's connection factory with its own timeouts: by configuration, or because no private connection can be
 * derived from it. The factory is never closed.
 */
final class SharedConnection extends StoreConnection {

    private static final LockLog logger = LockLog.of(SharedConnection.class);

    private final Open open;

    private final LockKeys keys;

    private final RedisStoreSettings settings;

    private final boolean lettucePresent;

    private volatile @Nullable FirstAnswer firstAnswer;

    private boolean monitored;

    /**
     * Creates a connection over the factory.
     *
     * @param lettucePresent whether the classes of Lettuce are present
     */
    SharedConnection(
            RedisConnectionFactory factory, LockKeys keys, RedisStoreSettings settings, boolean lettucePresent) {
        super("Redis", new WireFormat(keys, "Redis"));
        this.open = Open.over(null, factory, null);
        this.current = this.open;
        this.keys = keys;
        this.settings = settings;
        this.lettucePresent = lettucePresent;
    }

    @Override
    void start(Listener listener) {
        if (this.settings.privateConnection()) {
            logger.warn("Cannot open a private connection to Redis for distributed locks: it requires Lettuce and a"
                    + " configuration that can be copied. Locks use the application's " + factoryName() + " with its"
                    + " timeouts, so that a slow command of the application can delay renewals until locks are lost. Use"
                    + " Lettuce with a standalone server, Sentinel or a cluster, or set"
                    + " distributed-lock.redis.private-connection=false to accept this.");
        }
        if (this.lettucePresent && !this.monitored) {
            this.monitored = true;
            new DisconnectMonitor(this.disconnects, () -> {}, () -> {}).watch(this.open.factory());
        }
        listener.connected(this.open.factory());
        FirstAnswer first = new FirstAnswer();
        this.firstAnswer = first;
        first.await(this.settings.commandTimeout().multipliedBy(2));
    }

    @Override
    void stop() {
        FirstAnswer first = this.firstAnswer;
        if (first != null) {
            first.stop();
        }
    }

    @Override
    boolean isConnected() {
        FirstAnswer first = this.firstAnswer;
        return first != null && first.received;
    }

    @Override
    String description() {
        return "Redis over the application's " + factoryName() + " with its timeouts";
    }

    private String factoryName() {
        return ClassUtils.getUserClass(this.open.factory()).getSimpleName();
    }

    /**
     * Asks Redis until it has answered once, on a background thread: such a call may block for as long as the application's
     * client permits.
     */
    private final class FirstAnswer {

        private final ConnectionAttempts attempts = new ConnectionAttempts(SharedConnection.this.servers);

        private final CountDownLatch attempted = new CountDownLatch(1);

        private final CountDownLatch stopped = new CountDownLatch(1);

        private final Thread thread;

        private volatile boolean received;

        FirstAnswer() {
            CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-connection-");
            threads.setDaemon(true);
            this.thread = threads.newThread(this::ask);
        }

        /** Starts to ask, and waits for the outcome of the first attempt, but no longer than that. */
        void await(Duration atMost) {
            this.thread.start();
            try {
                boolean unused = this.attempted.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
            if (!this.received) {
                this.attempts.startedWithout();
            }
        }

        void stop() {
            this.stopped.countDown();
            this.thread.interrupt();
        }

        private void ask() {
            boolean ended = false;
            while (!ended) {
                long pause = attempt();
                this.attempted.countDown();
                try {
                    ended = this.received || this.stopped.await(pause, TimeUnit.MILLISECONDS);
                } catch (InterruptedException ex) {
                    ended = true;
                }
            }
        }

        /**
         * Queries the owner of a lock that does not exist, which one node answers, and then the format.
         *
         * @return milliseconds until the next attempt, if one is needed
         */
        private long attempt() {
            try {
                Object unused = SharedConnection.this
                        .open
                        .template()
                        .opsForHash()
                        .get(SharedConnection.this.keys.keyOf(""), LockKeys.OWNER);
                SharedConnection.this.format.read(SharedConnection.this.open.template());
                this.received = true;
                this.attempts.succeeded();
                return 0;
            } catch (Throwable ex) {
                return this.stopped.getCount() > 0 ? this.attempts.failed(ex) : 0;
            }
        }
    }
}
