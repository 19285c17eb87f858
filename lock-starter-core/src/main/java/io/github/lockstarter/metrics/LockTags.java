package io.github.lockstarter.metrics;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Determines the values of the tag {@code lock}: the static names up to a limit, and {@link #OTHER} beyond it; and
 * those of the tag {@code mode}. Thread-safe.
 */
final class LockTags {

    static final int MAX_NAMES = 200;

    static final String OTHER = "other";

    private static final LockLog logger = LockLog.of(LockTags.class);

    private final String tagged;

    private final ConcurrentMap<String, String> names = new ConcurrentHashMap<>();

    private final AtomicInteger admitted = new AtomicInteger();

    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Creates tags without values.
     *
     * @param tagged what has the tags, such as "meters", for the warning about too many names
     */
    LockTags(String tagged) {
        this.tagged = tagged;
    }

    /** Returns the name, or {@link #OTHER} if the limit was reached before its first use. */
    String of(String name) {
        return this.names.containsKey(name) || isAdmitted(name) ? name : OTHER;
    }

    /** Returns {@code write}, {@code read} or {@code permit}. */
    static String of(LockMode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    private boolean isAdmitted(String name) {
        if (this.admitted.get() < MAX_NAMES
                && this.names.computeIfAbsent(
                                name, absent -> this.admitted.incrementAndGet() <= MAX_NAMES ? absent : null)
                        != null) {
            return true;
        }
        if (this.warned.compareAndSet(false, true)) {
            logger.warn("There are more than " + MAX_NAMES + " different lock names: from '"
                    + LoggedNames.ofStatic(name) + "' on, " + this.tagged
                    + " have the tag lock=" + OTHER
                    + ". Put identifiers into the key of the annotation, or after a ':' in"
                    + " the name that is passed to getLock.");
        }
        return false;
    }
}
