package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.WaitingListener;
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
 * Where this instance hears that a lock was handed to it: one channel, subscribed when somebody waits for the first time.
 * What arrives is a hint on top of polling, so whatever goes wrong here costs one line in the log and no lock.
 */
final class Inbox implements MessageListener, SubscriptionListener {

    private static final LockLog logger = LockLog.of(Inbox.class);

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final long RETRY_SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How a waiter of this instance can be reached. */
    enum State {
        /** Nobody has waited yet, or the subscription is not acknowledged: who joined now might miss its message. */
        NOT_YET,
        /** Messages arrive. */
        READY,
        /** There will be no messages for a while: waiters poll. */
        SILENT
    }

    private final LockKeys keys;

    private final String instance;

    private final WaitingListener listener;

    private final ThreadPoolExecutor background;

    private volatile @Nullable RedisConnectionFactory factory;

    private volatile @Nullable RedisConnection connection;

    private volatile State state = State.NOT_YET;

    private final AtomicBoolean wanted = new AtomicBoolean();

    private final AtomicLong retryAt = new AtomicLong();

    private volatile boolean ended;

    private boolean warned;

    Inbox(LockKeys keys, String instance, WaitingListener listener) {
        this.keys = keys;
        this.instance = instance;
        this.listener = listener;
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-inbox-");
        threads.setDaemon(true);
        this.background = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        this.background.allowCoreThreadTimeOut(true);
    }

    String instance() {
        return this.instance;
    }

    State state() {
        return this.state;
    }

    /** Somebody waits: subscribes unless that is done, without blocking. */
    void want() {
        long now = System.nanoTime();
        long due = this.retryAt.get();
        boolean again =
                this.state == State.SILENT && now - due >= 0 && this.retryAt.compareAndSet(due, now + RETRY_NANOS);
        if (this.wanted.compareAndSet(false, true) || again) {
            inBackground(this::subscribe);
        }
    }

    /** There is a new connection factory; a subscription over the old one ends with it. */
    void moveTo(RedisConnectionFactory factory) {
        this.factory = factory;
        if (this.wanted.get()) {
            this.state = State.NOT_YET;
            inBackground(this::subscribe);
        }
    }

    /** The connection of the subscription broke; the client opens it again and subscribes anew. */
    void broke(RedisConnectionFactory factory) {
        if (!this.ended && this.state == State.READY && factory == this.factory) {
            this.state = State.SILENT;
            this.retryAt.set(System.nanoTime() + RETRY_NANOS);
            // Who stands in line would be passed over as one that is gone: says anew that it polls.
            this.listener.missedSome();
        }
    }

    /** Ends the subscription from here: the thread that makes it may be waiting in vain for a connection. */
    void end() {
        this.ended = true;
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
            logger.debug("Not subscribed: stopped.");
        }
    }

    private void subscribe() {
        unsubscribe();
        RedisConnectionFactory over = this.factory;
        if (over == null || this.ended) {
            return;
        }
        try {
            RedisConnection created = over.getConnection();
            this.connection = created;
            // Lettuce returns when the subscription is acknowledged, Jedis when it has ended.
            created.subscribe(this, this.keys.inbox(this.instance).getBytes(StandardCharsets.UTF_8));
        } catch (RuntimeException ex) {
            failed(ex);
        }
    }

    private void failed(RuntimeException ex) {
        unsubscribe();
        if (this.ended) {
            return;
        }
        LockStoreException failure = RedisErrors.translate(ex, "inbox", true);
        this.retryAt.set(System.nanoTime() + (failure.isTransient() ? RETRY_SOON_NANOS : RETRY_NANOS));
        this.state = State.SILENT;
        if (!this.warned && !failure.isTransient()) {
            this.warned = true;
            logger.warn("No messages about locks that are handed over: cannot subscribe to channel '"
                    + this.keys.inbox(this.instance) + "'. Waiting goes on by polling, which is slower. Does the Redis"
                    + " user have '&" + this.keys.inbox("*") + " +subscribe'? " + ex);
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
            logger.debug("Closing a subscription failed", ex);
        }
    }

    @Override
    public void onMessage(Message message, byte @Nullable [] pattern) {
        if (!this.ended) {
            this.listener.handedOver(this.keys.nameOf(new String(message.getBody(), StandardCharsets.UTF_8)));
        }
    }

    /** Called after each re-connection too: what was published in between nobody heard. */
    @Override
    public void onChannelSubscribed(byte[] channel, long count) {
        if (!this.ended) {
            this.warned = false;
            this.state = State.READY;
            this.listener.missedSome();
        }
    }
}
