package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.MessageStatus;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.text.LockLog;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides how messages about grants are published: by the script that grants the lock, by its client after the reply,
 * or not at all. Services differ: some refuse {@code PUBLISH} in scripts or each text that contains it, others accept
 * it and lose the message. Therefore only probes decide that have arrived, or have not, on the subscription of this
 * instance; see {@link Inbox}. Thread-safe.
 *
 * <p>The mode becomes worse only after two probes in a row have shown it, because a probe is lost as easily as another
 * message, and better after one. Until the first probe, messages are published by scripts, unless the server has
 * refused that.
 *
 * <p>Messages.tla specifies instances of different modes: nothing depends on messages, and a client that dies between
 * reply and publication has lost one.
 */
final class MessageRoute {

    private static final LockLog logger = LockLog.of(MessageRoute.class);

    /** Enough for a burst, and few enough not to fill the memory while the server does not answer. */
    static final int MAX_IN_FLIGHT = 1000;

    private static final int PROBES_TO_GET_WORSE = 2;

    /** The mode by configuration. */
    final MessageMode configured;

    private final String servers;

    /** Whether the mode is more than an assumption: by configuration, by a refusal, or by a probe. */
    volatile boolean isKnown;

    /** Whether scripts publish. Read at each command. */
    volatile boolean isByScript;

    /** {@link MessageMode#AUTO} only in {@link #configured}. */
    volatile MessageMode mode;

    /** The words of the server, or what else has shown the mode; empty if there is no reason. */
    private volatile String reason = "";

    /** Why this instance receives nothing although it publishes, or {@code null} if it is subscribed or need not be. */
    private volatile @Nullable String notSubscribed;

    /** Whether the mode of the configuration does not work, so that waiters poll. */
    private volatile boolean isDoubtful;

    /** How many probes in a row have shown a worse mode. */
    private int failed;

    /** Orders the changes of the mode. */
    private final ReentrantLock changing = new ReentrantLock();

    private final AtomicInteger inFlight = new AtomicInteger();

    private final LongAdder dropped = new LongAdder();

    /**
     * Creates a route.
     *
     * @param servers the servers as messages name them, without credentials
     */
    MessageRoute(MessageMode configured, String servers) {
        this.configured = configured;
        this.servers = servers;
        this.mode = configured == MessageMode.AUTO ? MessageMode.SCRIPT : configured;
        this.isByScript = this.mode == MessageMode.SCRIPT;
        this.isKnown = configured != MessageMode.AUTO;
    }

    MessageStatus status() {
        String failure = this.isDoubtful ? this.reason : this.notSubscribed;
        return failure != null
                ? new MessageStatus("polling", failure, false, this.dropped.sum())
                : new MessageStatus(
                        this.mode.name().toLowerCase(Locale.ROOT),
                        this.reason,
                        this.configured == this.mode,
                        this.dropped.sum());
    }

    /** Logs a mode that the configuration fixes, which nothing else would. */
    void started() {
        this.reason = this.reason.isEmpty() ? fixed() : this.reason;
        if (this.configured != MessageMode.AUTO && this.mode != MessageMode.SCRIPT) {
            log();
        }
    }

    /**
     * Notes that the server does not let scripts publish, before any probe.
     *
     * @param words the words of the server
     */
    void refused(String words) {
        this.isKnown = true;
        this.changing.lock();
        try {
            if (this.configured == MessageMode.SCRIPT) {
                // Without the commands, the server accepts the scripts.
                this.isByScript = false;
                doubt(words);
            } else if (this.isByScript) {
                change(MessageMode.CLIENT, words);
            }
        } finally {
            this.changing.unlock();
        }
    }

    /**
     * Notes whether this instance receives messages. Those for others are published in any case.
     *
     * @param failure why it has no subscription, or {@code null} if it has one
     */
    void subscribed(@Nullable String failure) {
        this.notSubscribed = failure;
    }

    /**
     * Notes the result of a probe, in which other commands were answered.
     *
     * @param shown the best mode whose message has arrived
     * @param words why better modes are not used: the words of the server, or that a message has not arrived
     * @return whether the next probe may change the mode
     */
    boolean probed(MessageMode shown, String words) {
        this.isKnown = true;
        this.changing.lock();
        try {
            int difference = shown.compareTo(this.mode);
            this.failed = difference > 0 ? this.failed + 1 : 0;
            boolean mayBecomeWorse = this.failed % PROBES_TO_GET_WORSE == 0;
            if (this.configured == MessageMode.AUTO) {
                if (difference < 0 || (difference > 0 && mayBecomeWorse)) {
                    this.failed = 0;
                    change(shown, words);
                }
            } else if (difference <= 0) {
                this.reason = fixed();
                this.isDoubtful = false;
                this.isByScript = this.mode == MessageMode.SCRIPT;
            } else if (mayBecomeWorse) {
                doubt(words);
            }
            return !mayBecomeWorse;
        } finally {
            this.changing.unlock();
        }
    }

    /** Returns the property that fixes the mode, or an empty text. */
    private String fixed() {
        return this.configured == MessageMode.AUTO
                ? ""
                : "distributed-lock.redis.messages=" + this.configured.name().toLowerCase(Locale.ROOT);
    }

    private void change(MessageMode shown, String words) {
        this.mode = shown;
        this.reason = words;
        this.isByScript = shown == MessageMode.SCRIPT;
        log();
    }

    private void log() {
        String because = this.reason.isEmpty() ? "" : " (" + this.reason + ')';
        if (this.mode == MessageMode.SCRIPT) {
            logger.info("Messages about locks that are handed over are published by scripts again, at " + this.servers
                    + '.');
        } else if (this.mode == MessageMode.CLIENT) {
            logger.info("Messages about locks that are handed over are published by the client instead of scripts, at "
                    + this.servers + because
                    + ". A hand-over between two instances takes one round trip more.");
        } else if (this.configured == MessageMode.POLLING) {
            logger.info("No messages about locks that are handed over" + because
                    + ". Waiters of other instances poll, and a hand-over takes up to a poll interval.");
        } else {
            logger.warn("No messages about locks that are handed over, at " + this.servers + because
                    + ". Waiters of other instances poll instead, and a hand-over takes up to a poll interval. Check that"
                    + " the server has PUBLISH and SUBSCRIBE, and that the Redis user may execute them.");
        }
    }

    /** Reports that the mode of the configuration does not work. */
    private void doubt(String words) {
        this.isDoubtful = true;
        if (!words.equals(this.reason)) {
            this.reason = words;
            logger.warn(fixed() + " does not work at " + this.servers + " (" + words
                    + "). Waiters of other instances poll. Remove the property, or set another mode.");
        }
    }

    /** Returns why messages can be published neither by scripts nor by the client, or {@code null} if they can. */
    @Nullable
    String obstacle() {
        return this.mode == MessageMode.POLLING || (this.configured == MessageMode.SCRIPT && !this.isByScript)
                ? status().describe()
                : null;
    }

    // ---- Publications by the client

    /**
     * Publishes a message in the background, unless waiters poll or too many publications are under way. A message that
     * is not published is what a lost message is: the waiter finds its grant by its next poll. Scripts may publish
     * again by the time the reply arrives.
     *
     * @param publication sends the message without waiting for the reply
     */
    void publish(Supplier<? extends CompletionStage<?>> publication) {
        if (this.mode == MessageMode.POLLING) {
            return;
        }
        if (this.inFlight.incrementAndGet() > MAX_IN_FLIGHT || this.configured == MessageMode.SCRIPT) {
            ended(true);
            return;
        }
        try {
            CompletionStage<?> unused = publication.get().whenComplete((receivers, failure) -> ended(failure != null));
        } catch (RuntimeException ex) {
            ended(true);
        } catch (Error ex) {
            ended(true);
            throw ex;
        }
    }

    private void ended(boolean isDropped) {
        this.inFlight.decrementAndGet();
        if (isDropped) {
            this.dropped.increment();
        }
    }
}
