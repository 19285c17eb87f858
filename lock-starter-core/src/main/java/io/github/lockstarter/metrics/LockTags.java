package io.github.lockstarter.metrics;

import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Values of the tag {@code lock}: static names, and from a limit on one for all others, so that tags stay few. */
final class LockTags {

    static final int MOST_NAMES = 200;

    static final String OTHER = "other";

    private static final LockLog logger = LockLog.of(LockTags.class);

    private final String tagged;

    private final ConcurrentMap<String, String> names = new ConcurrentHashMap<>();

    private final AtomicInteger admitted = new AtomicInteger();

    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Creates tags.
     *
     * @param tagged what has them, for the warning that there are too many
     */
    LockTags(String tagged) {
        this.tagged = tagged;
    }

    /** The name itself, or {@link #OTHER} if it came too late. */
    String of(String name) {
        return this.names.containsKey(name) || isAdmitted(name) ? name : OTHER;
    }

    private boolean isAdmitted(String name) {
        if (this.admitted.get() < MOST_NAMES
                && this.names.computeIfAbsent(
                                name, absent -> this.admitted.incrementAndGet() <= MOST_NAMES ? absent : null)
                        != null) {
            return true;
        }
        if (this.warned.compareAndSet(false, true)) {
            logger.warn("More than " + MOST_NAMES + " different lock names: from '" + LoggedNames.ofStatic(name)
                    + "' on, " + this.tagged
                    + " have the tag lock=" + OTHER + ". Names should be few; put identifiers into the key of the"
                    + " annotation, or after a ':' in the name given to getLock.");
        }
        return false;
    }
}
