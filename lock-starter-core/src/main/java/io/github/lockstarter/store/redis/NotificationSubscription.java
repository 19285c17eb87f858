package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.store.redis.connection.StoreConnection;
import io.github.lockstarter.store.redis.error.RedisExceptionTranslator;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LockLog;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Subscribes to the channel on which this instance is notified of locks that were granted to its waiters; the
 * subscription starts with the first waiter. Waiters poll in addition, so that a failure here makes waiting slower but
 * loses no lock. Thread-safe.
 */
final class NotificationSubscription implements StoreConnection.Listener, MessageListener, SubscriptionListener {

    private static final LockLog logger = LockLog.of(NotificationSubscription.class);

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long RETRY_SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How waiters of this instance are notified. */
    enum State {
        /** There has been no waiter, or the subscription is not acknowledged: a message could still be missed. */
        PENDING,
        /** Messages arrive. */
        SUBSCRIBED,
        /** No messages arrive for a while; waiters poll. */
        UNAVAILABLE
    }

    private final LockKeys keys;

    private final String inbox;

    private final WaitingListener listener;

    private final ThreadPoolExecutor background;

    private volatile @Nullable RedisConnectionFactory factory;

    private volatile @Nullable RedisConnection connection;

    private volatile State state = State.PENDING;

    /** Whether there has been a waiter. */
    private final AtomicBoolean requested = new AtomicBoolean();

    /** When an unavailable subscription may be tried again, by {@link System#nanoTime()}. */
    private final AtomicLong retryAt = new AtomicLong();

    private volatile boolean stopped;

    private boolean warned;

    private final AtomicBoolean foreignMessageLogged = new AtomicBoolean();

    NotificationSubscription(LockKeys keys, String instance, WaitingListener listener) {
        this.keys = keys;
        this.inbox = instance;
        this.listener = listener;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-inbox-");
        threads.setDaemon(true);
        this.background = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        this.background.allowCoreThreadTimeOut(true);
    }

    /** Returns the inbox of this instance, which is the last part of the channel's name. */
    String inbox() {
        return this.inbox;
    }

    State state() {
        return this.state;
    }

    /** Subscribes in the background unless that has been done, or after a failure if it is time to try again. */
    void subscribe() {
        long now = System.nanoTime();
        long due = this.retryAt.get();
        boolean again =
                this.state == State.UNAVAILABLE && now - due >= 0 && this.retryAt.compareAndSet(due, now + RETRY_NANOS);
        if (this.requested.compareAndSet(false, true) || again) {
            inBackground(this::resubscribe);
        }
    }

    /** Subscribes over the new factory, and lets waiters check for messages that they missed during the change. */
    @Override
    public void connected(RedisConnectionFactory factory) {
        this.factory = factory;
        if (this.requested.get()) {
            this.state = State.PENDING;
            inBackground(this::resubscribe);
        }
        this.listener.missedSome();
    }

    @Override
    public void moved() {
        this.listener.moved();
    }

    /** Lets waiters poll until the client has subscribed again, which it does by itself. */
    @Override
    public void subscriptionLost(RedisConnectionFactory factory) {
        if (!this.stopped && this.state == State.SUBSCRIBED && factory == this.factory) {
            this.state = State.UNAVAILABLE;
            this.retryAt.set(System.nanoTime() + RETRY_NANOS);
            // Without receivers a release skips the waiters in line, so they must join again as waiters that poll.
            this.listener.missedSome();
        }
    }

    /**
     * Ends the subscription. It does so from the calling thread: the background thread may be waiting for a connection.
     */
    void stop() {
        this.stopped = true;
        this.background.shutdownNow();
        unsubscribe();
        try {
            this.background.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        unsubscribe();
    }

    private void inBackground(Runnable task) {
        try {
            this.background.execute(task);
        } catch (RejectedExecutionException ex) {
            logger.debug("The channel of this instance is not subscribed, because the store was stopped.");
        }
    }

    private void resubscribe() {
        unsubscribe();
        RedisConnectionFactory over = this.factory;
        if (over == null || this.stopped) {
            return;
        }
        try {
            RedisConnection created = over.getConnection();
            this.connection = created;
            // Lettuce returns when the subscription is acknowledged, Jedis when it has ended.
            created.subscribe(this, this.keys.channelOf(this.inbox).getBytes(StandardCharsets.UTF_8));
        } catch (RuntimeException ex) {
            failed(ex);
        }
    }

    private void failed(RuntimeException ex) {
        unsubscribe();
        if (this.stopped) {
            return;
        }
        LockStoreException failure =
                RedisExceptionTranslator.translate(ex, "Redis", "the channel of this instance", true, null);
        this.retryAt.set(System.nanoTime() + (failure.isTransient() ? RETRY_SOON_NANOS : RETRY_NANOS));
        this.state = State.UNAVAILABLE;
        if (!this.warned && !failure.isTransient()) {
            this.warned = true;
            logger.warn("No messages about locks that are handed over: cannot subscribe to channel '"
                    + this.keys.channelOf(this.inbox) + "'. Waiters poll instead, which is slower. Check that the"
                    + " Redis user has the permissions '&" + this.keys.channelOf("*") + " +subscribe'. " + ex);
        }
    }

    private void unsubscribe() {
        RedisConnection current = this.connection;
        this.connection = null;
        if (current == null) {
            return;
        }
        try {
            Subscription subscription = current.getSubscription();
            if (subscription != null && subscription.isAlive()) {
                subscription.close();
            }
            current.close();
        } catch (RuntimeException ex) {
            logger.debug("Closing the subscription of this instance failed.", ex);
        }
    }

    @Override
    public void onMessage(Message message, byte @Nullable [] pattern) {
        if (this.stopped) {
            return;
        }
        GrantMessage grant = GrantMessage.of(new String(message.getBody(), StandardCharsets.UTF_8), this.keys);
        if (grant != null) {
            grant.deliver(this.listener);
        } else {
            logForeignMessage();
        }
    }

    private void logForeignMessage() {
        String channel = this.keys.channelOf(this.inbox);
        if (this.foreignMessageLogged.compareAndSet(false, true)) {
            logger.warn(
                    "A message in channel '" + channel + "' is ignored, because it does not name a lock. Let no other"
                            + " application publish to channels that start with '" + this.keys.channelPrefix()
                            + "'. Further messages of this kind are logged at DEBUG.");
        } else {
            logger.debug("Another message in channel '" + channel + "' is ignored.");
        }
    }

    /** Called after each reconnection, too: messages that were published in between are lost. */
    @Override
    public void onChannelSubscribed(byte[] channel, long count) {
        if (!this.stopped) {
            this.warned = false;
            this.state = State.SUBSCRIBED;
            this.listener.missedSome();
        }
    }
}
