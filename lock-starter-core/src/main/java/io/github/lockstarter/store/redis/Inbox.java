package io.github.lockstarter.store.redis;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.Notice;
import io.github.lockstarter.store.StoreListener;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.store.redis.script.LockKeys;
import io.github.lockstarter.store.redis.script.LuaScript;
import io.github.lockstarter.text.LockLog;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Subscribes to the channel of this instance, and passes on the messages about grants from the waiting line. The
 * subscription begins when a lock is taken that a waiter of this JVM requests, when this JVM has held locks for a
 * while, or if the server may lose messages. Waiters poll in addition. A failure here therefore makes waiting slower
 * but loses no lock. Thread-safe.
 *
 * <p>While it is subscribed, the inbox probes in each period: a script and the client publish a random number each to
 * the own channel. What arrives decides how messages are published, see {@link MessageRoute}. If nothing arrives, the
 * inbox subscribes again, because a connection can end without a sign at this end, for example if a load balancer
 * forgets it while it is idle.
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

    /** Proxies log each script that they refuse. */
    private static final long SCRIPT_RETRY_NANOS = TimeUnit.MINUTES.toNanos(3);

    /** Attempts to subscribe that may fail without a line in the log, with a second and a command timeout for each. */
    private static final int MAX_SILENT_FAILURES = 20;

    private static final long RETRY_SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum State {
        /** No subscription has begun, and waiters poll. */
        UNUSED,
        /** The subscription is not acknowledged, and waiters poll, because a message could be missed. */
        PENDING,
        /** Messages arrive. */
        SUBSCRIBED,
        /** No messages arrive for a while, and waiters poll. */
        UNAVAILABLE
    }

    private final String instance;

    private final StoreListener listener;

    private final StoreConnection connection;

    private final LockKeys keys;

    private final long timeoutNanos;

    /** How an acquisition waits that only polls, see {@link ScriptCommands#callOf}. */
    private final String polling;

    /** How an acquisition waits that is notified, if no server has counted the inbox, and if one has. */
    private final String notified;

    private final String notifiedAndCounted;

    private final ScheduledThreadPoolExecutor background;

    private volatile @Nullable RedisConnectionFactory factory;

    private volatile @Nullable RedisConnection subscriber;

    private volatile State state;

    private final SingleTask subscription = new SingleTask(this::subscribe);

    /** When the next attempt may follow a failure, by {@link System#nanoTime()}. */
    private volatile long retryAt = System.nanoTime();

    private volatile boolean stopped;

    private boolean warned;

    /** How many attempts to subscribe have failed in a row. */
    private final AtomicInteger failures = new AtomicInteger();

    private final CountDownLatch acknowledged = new CountDownLatch(1);

    /** Number of subscriptions, each of which has probes of its own. */
    private final AtomicInteger subscriptions = new AtomicInteger();

    /** Begins each probe of this inbox, so that a late one does not count as a forged message. */
    private final String ownProbes = ALIVE + ThreadLocalRandom.current().nextLong(Long.MAX_VALUE) + ':';

    /** The last probe, or {@code null} if there was none. */
    private volatile @Nullable Probe probe;

    /** Whether the server counts this inbox, as the last probe has shown that has arrived from a script. */
    private volatile boolean isCounted;

    // The fields below belong to the background thread.

    /** How many probes in a row have brought nothing. */
    private int missed;

    private long scriptTriedAt = System.nanoTime() - SCRIPT_RETRY_NANOS;

    /** Whether the next probe may change the mode. */
    private boolean isInDoubt;

    /**
     * Creates an inbox without a subscription.
     *
     * @param instance the name of the inbox
     */
    Inbox(
            String instance,
            StoreListener listener,
            StoreConnection connection,
            LockKeys keys,
            RedisStoreSettings settings) {
        this.instance = instance;
        this.listener = listener;
        this.connection = connection;
        this.keys = keys;
        this.timeoutNanos = settings.commandTimeout().toNanos();
        this.polling = ScriptCommands.waiting(settings.claimMillis(), "", true);
        this.notified = ScriptCommands.waiting(settings.claimMillis(), instance, false);
        this.notifiedAndCounted = ScriptCommands.waiting(settings.claimMillis(), instance, true);
        this.state = isUsed() ? State.UNUSED : State.UNAVAILABLE;
        this.background = new ScheduledThreadPoolExecutor(1, StoreConnection.threads());
        this.background.setKeepAliveTime(10, TimeUnit.SECONDS);
        this.background.allowCoreThreadTimeOut(true);
    }

    /** Returns false if waiters only poll by configuration. */
    private boolean isUsed() {
        return this.connection.messages.configured != MessageMode.POLLING;
    }

    /**
     * Returns how acquisitions wait, see {@link ScriptCommands#callOf}: by polling alone unless messages arrive. While
     * the subscription is set up, an acquisition joins the line as well, because its place must not wait for several
     * round trips. It asks again with the acknowledgement, which states the inbox in its entry and finds a grant about
     * which no message was sent.
     */
    String waiting() {
        // The compiler generates a separate class for a switch. If its initialization failed on an exhausted stack, it
        // would fail for ever.
        if (this.state != State.SUBSCRIBED) {
            return this.polling;
        }
        return this.isCounted ? this.notifiedAndCounted : this.notified;
    }

    /** Subscribes in the background unless that has been done, or after a failure if it is time for another attempt. */
    void request() {
        State current = this.state;
        if (current == State.UNUSED
                || (current == State.UNAVAILABLE && isUsed() && System.nanoTime() - this.retryAt >= 0)) {
            subscribeInBackground();
        }
    }

    /**
     * Subscribes as {@link #request} does, and waits for the acknowledgement or the refusal, for one command timeout at
     * most. Otherwise the first waiters would ask once more while their first attempt has no reply.
     */
    void requestAndAwait() {
        if (!isUsed()) {
            return;
        }
        request();
        try {
            boolean unused = this.acknowledged.await(this.timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** Subscribes over the new factory, and lets waiters check for messages that they missed during the change. */
    void connected(RedisConnectionFactory factory) {
        this.factory = factory;
        // Another server may not count.
        this.isCounted = false;
        if (this.state != State.UNUSED && isUsed()) {
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
            this.subscriber = created;
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
        this.connection.messages.subscribed(String.valueOf(failure.getMessage()));
        this.acknowledged.countDown();
        int inARow = this.failures.incrementAndGet();
        // The log of the connection reports an outage.
        if (!this.warned && (!failure.isTransient() || inARow == MAX_SILENT_FAILURES)) {
            this.warned = true;
            logger.warn("No messages about locks that are handed over: cannot subscribe to channel '"
                    + this.keys.channelOf(this.instance) + "'. Waiters poll instead, which is slower. Check that the"
                    + " Redis user has the permissions '&" + this.keys.channelOf("*") + " +subscribe'. " + ex);
        }
        unavailable(failure.isTransient() ? RETRY_SOON_NANOS : RETRY_NANOS);
    }

    private void unsubscribe() {
        RedisConnection current = this.subscriber;
        this.subscriber = null;
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
            this.failures.set(0);
            this.connection.messages.subscribed(null);
            this.state = State.SUBSCRIBED;
            this.listener.notificationsMayBeLost();
            this.acknowledged.countDown();
            int present = this.subscriptions.incrementAndGet();
            later(() -> probe(present), 0);
        }
    }

    // ---- Probes

    /** Two messages to the own channel, and what has become of them. */
    private static final class Probe {

        final String ofScript;

        final String ofClient;

        final boolean triesScript;

        volatile boolean hasScriptArrived;

        volatile boolean hasClientArrived;

        // The fields below belong to the background thread.

        /** Whether each command has a reply, which may be an error. */
        boolean isAnswered = true;

        boolean isScriptRefused;

        /** Whether the script has found the inbox among the subscribers that the server counts. */
        boolean isCounted;

        boolean isOver;

        String words = "";

        Probe(String begin, boolean triesScript) {
            this.ofScript = begin + ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
            this.ofClient = begin + ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
            this.triesScript = triesScript;
        }

        MessageMode shown() {
            return this.hasScriptArrived
                    ? MessageMode.SCRIPT
                    : this.hasClientArrived ? MessageMode.CLIENT : MessageMode.POLLING;
        }

        /** Returns whether no better result can come. */
        boolean isDecided() {
            return this.hasScriptArrived || (this.hasClientArrived && (!this.triesScript || this.isScriptRefused));
        }
    }

    private void later(Runnable task, long nanos) {
        try {
            ScheduledFuture<?> unused = this.background.schedule(task, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError ex) {
            // The store was stopped, or the system refuses a thread. The next subscription begins again.
        }
    }

    /** Publishes both messages. With Jedis, the thread is occupied by the subscription, and there are no probes. */
    private void probe(int present) {
        OpenConnection open = this.connection.current;
        if (this.stopped || this.state != State.SUBSCRIBED || present != this.subscriptions.get()) {
            return;
        }
        MessageMode configured = this.connection.messages.configured;
        long now = System.nanoTime();
        boolean triesScript = configured != MessageMode.CLIENT
                && (this.isInDoubt
                        || this.connection.messages.mode == MessageMode.SCRIPT
                        || now - this.scriptTriedAt >= SCRIPT_RETRY_NANOS);
        Probe created = new Probe(this.ownProbes, triesScript);
        this.probe = created;
        if (open == null) {
            created.isAnswered = false;
        } else {
            if (triesScript) {
                this.scriptTriedAt = now;
                created.isScriptRefused = !isSent(created, () -> publishByScript(open, created));
            }
            boolean unused = isSent(created, () -> publishByClient(open, created));
        }
        later(() -> evaluate(created, present, true), this.timeoutNanos);
        if (created.isDecided()) {
            evaluate(created, present, false);
        }
    }

    /** Executes a publication, and returns whether the server has accepted it, as far as is known. */
    private static boolean isSent(Probe probe, Runnable publication) {
        try {
            publication.run();
            return true;
        } catch (RuntimeException ex) {
            String words = RedisErrors.errorReply(ex);
            if (words == null || !RedisErrors.isRefusal(words)) {
                probe.isAnswered = false;
                return true;
            }
            probe.words = words;
            return false;
        }
    }

    private void publishByScript(OpenConnection open, Probe created) {
        String channel = this.keys.channelOf(this.instance);
        List<?> result = (List<?>) open.template.execute(
                LuaScript.CHECK_MESSAGES, List.of(this.keys.farFrom(channel)), channel, created.ofScript);
        String refusal = ScriptCommands.toFailures(result.get(1)).get("PUBLISH");
        created.isCounted = this.connection.isSingleServer() && result.get(0) instanceof Long count && count > 0;
        if (refusal != null) {
            throw new RedisSystemException(refusal, null);
        }
    }

    private void publishByClient(OpenConnection open, Probe created) {
        Long unused = open.template.convertAndSend(this.keys.channelOf(this.instance), created.ofClient);
    }

    /**
     * Evaluates the last probe when its result cannot become better, at the end of its time, and again if a message
     * arrives later.
     */
    private void evaluate(Probe evaluated, int present, boolean isTimeOver) {
        boolean isLate = evaluated.isOver;
        if (this.stopped || evaluated != this.probe || (isLate ? isTimeOver : !isTimeOver && !evaluated.isDecided())) {
            return;
        }
        evaluated.isOver = true;
        MessageMode shown = evaluated.shown();
        boolean isConclusive = evaluated.isAnswered || shown == MessageMode.SCRIPT;
        if (isConclusive) {
            if (evaluated.triesScript) {
                // The entries of waiters in line state it from their next poll on.
                this.isCounted = evaluated.isCounted && shown == MessageMode.SCRIPT;
            }
            this.isInDoubt = this.connection.messages.probed(
                    shown,
                    evaluated.words.isEmpty() && shown != MessageMode.SCRIPT ? notArrived(shown) : evaluated.words);
            this.missed = shown == MessageMode.POLLING ? this.missed + 1 : 0;
        }
        if (isLate) {
            return;
        }
        if (isConclusive && this.missed % 2 == 1) {
            logger.debug("The subscription of this instance has received nothing of itself, and is opened again.");
            this.state = State.PENDING;
            subscribe();
            return;
        }
        later(() -> probe(present), this.isInDoubt ? RETRY_SOON_NANOS : TIMEOUTS_IN_A_PERIOD * this.timeoutNanos);
    }

    private static String notArrived(MessageMode shown) {
        return shown == MessageMode.CLIENT
                ? "a message of a script has not arrived"
                : "messages have not arrived at the subscription";
    }

    /** Returns whether the text is a message of a probe. Only those of the last one have an effect. */
    private boolean isOfProbe(String text) {
        if (!text.startsWith(this.ownProbes)) {
            return false;
        }
        Probe last = this.probe;
        if (last == null) {
            return true;
        }
        boolean isOfScript = text.equals(last.ofScript);
        if (!isOfScript && !text.equals(last.ofClient)) {
            return true;
        }
        if (isOfScript) {
            last.hasScriptArrived = true;
        } else {
            last.hasClientArrived = true;
        }
        int present = this.subscriptions.get();
        later(() -> evaluate(last, present, false), 0);
        return true;
    }

    /**
     * A message is the key of the lock, followed by {@code <id>:<token>} if the lock was granted to the id, or else by
     * a {@link Notice} and the id: {@code revoked:<id>}. A notice that is unknown is from a newer version, and is
     * ignored. The key ends at the last brace, because a name has no brace in its key. Whatever the text is, nothing
     * is thrown:
     * the client would log the exception with the text.
     */
    @Override
    public void onMessage(Message message, byte @Nullable [] pattern) {
        if (this.stopped) {
            return;
        }
        byte[] body = message.getBody();
        String text = body.length <= MAX_MESSAGE ? new String(body, StandardCharsets.UTF_8) : "";
        if (isOfProbe(text)) {
            return;
        }
        int end = text.lastIndexOf('}') + 1;
        String lock = this.keys.nameOf(text.substring(0, end));
        int colon = text.indexOf(':', end);
        String first = colon > end ? text.substring(end, colon) : "";
        long token = colon > end ? tokenOf(text, colon + 1) : 0;
        if (lock != null && token > 0) {
            this.listener.granted(lock, first, token);
        } else if (lock == null || !isNotice(first)) {
            this.listener.messageRejected();
        } else {
            Notice notice = Notice.of(first);
            if (notice != null) {
                this.listener.notified(lock, text.substring(colon + 1), notice);
            }
        }
    }

    /** Returns whether the text has the form of a {@link Notice}, which no id has. */
    private static boolean isNotice(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= 'a' && c <= 'z');
    }

    private static long tokenOf(String text, int from) {
        try {
            return Long.parseLong(text, from, text.length(), 10);
        } catch (NumberFormatException ex) {
            return 0;
        }
    }
}
