package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.StoreListener;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.text.LockLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Subscribes to the channel of this instance, and passes on the messages about grants from the waiting line. The
 * subscription begins when a lock is taken that a waiter of this JVM requests. Waiters poll in addition. A failure here
 * therefore makes waiting slower but loses no lock. Thread-safe.
 *
 * <p>A connection can end without a sign at this end, for example if a load balancer forgets it while it is idle. While
 * it is subscribed, the inbox publishes a random number to its own channel in each period, and subscribes again after
 * two periods in which none has arrived.
 */
final class Inbox implements MessageListener, SubscriptionListener {

    private static final LockLog logger = LockLog.of(Inbox.class);

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Longer than any message: a name has at most 512 bytes, of which each takes at most three in the key. */
    private static final int MAX_MESSAGE = 4096;

    /** Begins a message of an inbox to itself. No key of a lock begins with it. */
    private static final String ALIVE = "alive:";

    /** Commands fail earlier than a subscription, about which nobody asks: the period is that many command timeouts. */
    private static final int TIMEOUTS_IN_A_PERIOD = 6;

    private static final int MAX_MISSED = 2;

    private static final long RETRY_SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum State {
        /** No subscription has begun. */
        UNUSED,
        /** The subscription is not acknowledged: a message could be missed. */
        PENDING,
        /** Messages arrive. */
        SUBSCRIBED,
        /** No messages arrive for a while, and waiters poll. */
        UNAVAILABLE
    }

    private final LockKeys keys;

    private final String instance;

    private final String polling;

    private final String notified;

    private final StoreListener listener;

    private final ScheduledThreadPoolExecutor background;

    private volatile @Nullable RedisConnectionFactory factory;

    private volatile @Nullable RedisConnection connection;

    private volatile State state = State.UNUSED;

    private final SingleTask subscription = new SingleTask(this::subscribe);

    /** When the next attempt may follow a failure, by {@link System#nanoTime()}. */
    private volatile long retryAt = System.nanoTime();

    private volatile boolean stopped;

    private boolean warned;

    private final long periodNanos;

    /** The last number that was published to the own channel; 0 if it has arrived or there was none. */
    private volatile long awaited;

    /** How many numbers in a row have not arrived. Used by the background thread. */
    private int missed;

    private volatile @Nullable ScheduledFuture<?> nextSign;

    /**
     * Creates an inbox without a subscription.
     *
     * @param polling see {@link ScriptCommands#polling}
     * @param commandTimeout time within which Redis answers
     * @param threads creates the thread that subscribes
     */
    Inbox(
            LockKeys keys,
            String instance,
            String polling,
            StoreListener listener,
            Duration commandTimeout,
            ThreadFactory threads) {
        this.keys = keys;
        this.instance = instance;
        this.polling = polling;
        this.notified = polling + instance;
        this.listener = listener;
        this.periodNanos = commandTimeout.multipliedBy(TIMEOUTS_IN_A_PERIOD).toNanos();
        this.background = new ScheduledThreadPoolExecutor(1, threads);
        this.background.setKeepAliveTime(10, TimeUnit.SECONDS);
        this.background.allowCoreThreadTimeOut(true);
    }

    /**
     * Returns how acquisitions wait, see {@link ScriptCommands#callOf}: by polling alone if no messages arrive. Null
     * while the subscription is set up: an acquisition must not join the line then, because it could miss its message.
     */
    @Nullable
    String waiting() {
        // The compiler generates a separate class for a switch. If its initialization failed on an exhausted stack, it
        // would fail for ever.
        State current = this.state;
        return current == State.SUBSCRIBED ? this.notified : current == State.UNAVAILABLE ? this.polling : null;
    }

    /** Subscribes in the background unless that has been done, or after a failure if it is time for another attempt. */
    void request() {
        State current = this.state;
        if (current == State.UNUSED || (current == State.UNAVAILABLE && System.nanoTime() - this.retryAt >= 0)) {
            subscribeInBackground();
        }
    }

    /** Subscribes over the new factory, and lets waiters check for messages that they missed during the change. */
    void connected(RedisConnectionFactory factory) {
        this.factory = factory;
        if (this.state != State.UNUSED) {
            this.state = State.PENDING;
            this.subscription.ended();
            subscribeInBackground();
        }
        this.listener.notificationsMayBeLost();
    }

    /** Lets waiters poll until the client has subscribed again, which it does by itself. */
    void subscriptionLost(RedisConnectionFactory factory) {
        if (!this.stopped && this.state == State.SUBSCRIBED && factory == this.factory) {
            unavailable(RETRY_NANOS);
        }
    }

    /**
     * Lets waiters ask twice: at once, to join the line as waiters that poll, because without receivers a release skips
     * those in line; and when it is time for another attempt, because the reply to a waiter causes it, and the next
     * poll may be far away.
     */
    private void unavailable(long pauseNanos) {
        this.retryAt = System.nanoTime() + pauseNanos;
        this.state = State.UNAVAILABLE;
        this.listener.notificationsMayBeLost();
        try {
            ScheduledFuture<?> unused =
                    this.background.schedule(this.listener::notificationsMayBeLost, pauseNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError ex) {
            // The store was stopped, or the system refuses a thread. The next poll causes the attempt.
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

    private void subscribeInBackground() {
        try {
            this.subscription.schedule(this.background::execute);
        } catch (RejectedExecutionException | OutOfMemoryError ex) {
            // The store was stopped, or the system refuses a thread.
            unavailable(RETRY_SOON_NANOS);
        }
    }

    private void subscribe() {
        if (this.state == State.UNUSED) {
            this.state = State.PENDING;
        }
        unsubscribe();
        RedisConnectionFactory over = this.factory;
        if (over == null || this.stopped) {
            return;
        }
        try {
            RedisConnection created = over.getConnection();
            this.connection = created;
            // Lettuce returns when the subscription is acknowledged, Jedis when it has ended.
            created.subscribe(this, this.keys.channelOf(this.instance).getBytes(StandardCharsets.UTF_8));
        } catch (Throwable ex) {
            unsubscribe();
            failed(ex);
        }
    }

    private void failed(Throwable ex) {
        if (this.stopped) {
            return;
        }
        LockStoreException failure = RedisErrors.translate(ex, "Redis", "the channel of this instance", true, null);
        if (!this.warned && !failure.isTransient()) {
            this.warned = true;
            logger.warn("No messages about locks that are handed over: cannot subscribe to channel '"
                    + this.keys.channelOf(this.instance) + "'. Waiters poll instead, which is slower. Check that the"
                    + " Redis user has the permissions '&" + this.keys.channelOf("*") + " +subscribe'. " + ex);
        }
        unavailable(failure.isTransient() ? RETRY_SOON_NANOS : RETRY_NANOS);
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

    /** Called after each reconnection, too: messages that were published in between are lost. */
    @Override
    public void onChannelSubscribed(byte[] channel, long count) {
        if (!this.stopped) {
            this.warned = false;
            this.awaited = 0;
            this.state = State.SUBSCRIBED;
            this.listener.notificationsMayBeLost();
            ScheduledFuture<?> next = this.nextSign;
            if (next == null || next.isDone()) {
                giveSignLater();
            }
        }
    }

    // ---- Signs of life

    private void giveSignLater() {
        try {
            this.nextSign = this.background.schedule(this::giveSign, this.periodNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError ex) {
            // The store was stopped, or the system refuses a thread. The next subscription begins again.
        }
    }

    /** Checks that the number before has arrived, and publishes the next one. With Jedis, the thread is occupied. */
    private void giveSign() {
        RedisConnectionFactory over = this.factory;
        if (this.stopped || over == null || this.state != State.SUBSCRIBED) {
            return;
        }
        this.missed = this.awaited == 0 ? 0 : this.missed + 1;
        if (this.missed == MAX_MISSED) {
            this.missed = 0;
            logger.debug("The subscription of this instance has received nothing of itself, and is opened again.");
            this.state = State.PENDING;
            subscribe();
            return;
        }
        long sign = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        this.awaited = sign;
        try (RedisConnection publisher = over.getConnection()) {
            byte[] channel = this.keys.channelOf(this.instance).getBytes(StandardCharsets.UTF_8);
            Long unused = publisher.publish(channel, (ALIVE + sign).getBytes(StandardCharsets.UTF_8));
        } catch (RuntimeException ex) {
            // It shows nothing about the subscription.
            this.awaited = 0;
        }
        giveSignLater();
    }

    /**
     * A message is the key of the lock, followed by {@code <id>:<token>}. The key ends at the last brace, because a
     * name has no brace in its key. Whatever the text is, nothing is thrown: the client would log the exception with
     * the text.
     */
    @Override
    public void onMessage(Message message, byte @Nullable [] pattern) {
        if (this.stopped) {
            return;
        }
        byte[] body = message.getBody();
        String text = body.length <= MAX_MESSAGE ? new String(body, StandardCharsets.UTF_8) : "";
        if (text.startsWith(ALIVE) && text.equals(ALIVE + this.awaited)) {
            this.awaited = 0;
            return;
        }
        int end = text.lastIndexOf('}') + 1;
        String lock = this.keys.nameOf(text.substring(0, end));
        int colon = text.indexOf(':', end);
        long token = colon > end ? tokenOf(text, colon + 1) : 0;
        if (lock == null || token <= 0) {
            this.listener.messageRejected();
        } else {
            this.listener.granted(lock, text.substring(end, colon), token);
        }
    }

    private static long tokenOf(String text, int from) {
        try {
            return Long.parseLong(text, from, text.length(), 10);
        } catch (NumberFormatException ex) {
            return 0;
        }
    }
}
