package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.ReleaseListener;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * Hears of releases from other instances: one subscription, made when somebody waits for the first time. It is a hint on
 * top of polling, so whatever goes wrong with it costs one line in the log and no lock.
 */
final class ReleaseMessages implements MessageListener, SubscriptionListener {

    private static final Log logger = LogFactory.getLog(ReleaseMessages.class);

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final String channel;

    private final AtomicBoolean wanted = new AtomicBoolean();

    private volatile @Nullable ReleaseListener listener;

    private volatile @Nullable RedisConnectionFactory factory;

    private volatile @Nullable ThreadPoolExecutor background;

    private volatile long retryAt = System.nanoTime();

    private volatile boolean failed;

    private volatile @Nullable RedisMessageListenerContainer container;

    private boolean warned;

    ReleaseMessages(String channel) {
        this.channel = channel;
    }

    void start(ReleaseListener listener) {
        this.listener = listener;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-subscription-");
        threads.setDaemon(true);
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        executor.allowCoreThreadTimeOut(true);
        this.background = executor;
    }

    /** Ends the subscription from here: the thread that makes it may be waiting in vain for a connection. */
    void stop() {
        ThreadPoolExecutor executor = this.background;
        this.background = null;
        this.factory = null;
        this.wanted.set(false);
        if (executor != null) {
            executor.shutdownNow();
            unsubscribe();
            try {
                executor.awaitTermination(1, TimeUnit.SECONDS);
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
            unsubscribe();
        }
    }

    /** Somebody waits: subscribes unless that is done, without blocking. */
    void want() {
        if (this.wanted.compareAndSet(false, true) || (this.failed && System.nanoTime() - this.retryAt >= 0)) {
            this.failed = false;
            inBackground(this::subscribe);
        }
    }

    /** There is a new connection factory; a subscription over the old one ends with it. */
    void moveTo(RedisConnectionFactory factory) {
        this.factory = factory;
        if (this.wanted.get()) {
            inBackground(this::subscribe);
        }
    }

    private void inBackground(Runnable task) {
        ThreadPoolExecutor executor = this.background;
        if (executor != null) {
            try {
                executor.execute(task);
            } catch (RejectedExecutionException ex) {
                logger.debug("Not subscribed: stopped.");
            }
        }
    }

    private void subscribe() {
        unsubscribe();
        RedisConnectionFactory over = this.factory;
        if (over == null || this.background == null) {
            return;
        }
        RedisMessageListenerContainer created = new RedisMessageListenerContainer();
        try {
            created.setConnectionFactory(over);
            // Listening is waking somebody and never blocks; by default each message would start a thread.
            created.setTaskExecutor(Runnable::run);
            // Not the executor above, on which a blocking client would keep this very thread for its subscription.
            created.setSubscriptionExecutor(new SimpleAsyncTaskExecutor("lock-subscription-"));
            // The link mends its connection and has us move; this is for what the container notices alone.
            created.setRecoveryBackoff(new ExponentialBackOff(1000, 2));
            created.afterPropertiesSet();
            created.addMessageListener(this, new ChannelTopic(this.channel));
            this.container = created;
            created.start();
            this.warned = false;
        } catch (Exception ex) {
            close(created);
            this.retryAt = System.nanoTime() + RETRY_NANOS;
            this.failed = true;
            if (!this.warned && this.background != null) {
                this.warned = true;
                logger.warn("No messages about released locks: cannot subscribe to channel '" + this.channel
                        + "'. Waiting goes on by polling, which is slower. Does the Redis user have '&" + this.channel
                        + " +subscribe'? " + ex);
            }
        }
    }

    private void unsubscribe() {
        RedisMessageListenerContainer current = this.container;
        this.container = null;
        if (current != null) {
            close(current);
        }
    }

    private static void close(RedisMessageListenerContainer container) {
        try {
            container.destroy();
        } catch (Exception ex) {
            logger.debug("Closing a subscription failed", ex);
        }
    }

    @Override
    public void onMessage(Message message, byte @Nullable [] pattern) {
        ReleaseListener told = this.listener;
        if (told != null) {
            told.released(new String(message.getBody(), StandardCharsets.UTF_8));
        }
    }

    /** Called after each re-connection too: what was published in between nobody heard. */
    @Override
    public void onChannelSubscribed(byte[] channel, long count) {
        ReleaseListener told = this.listener;
        if (told != null) {
            told.missedSome();
        }
    }
}
