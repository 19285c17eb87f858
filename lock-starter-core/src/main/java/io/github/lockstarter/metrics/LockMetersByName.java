package io.github.lockstarter.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The meters of each lock name; all names beyond a limit share theirs, so that meters cannot fill the memory. */
final class LockMetersByName {

    static final int MOST_NAMES = 200;

    static final String OTHER = "other";

    private static final Log logger = LogFactory.getLog(LockMetersByName.class);

    private final MeterRegistry registry;

    private final ConcurrentMap<String, LockMeters> byName = new ConcurrentHashMap<>();

    private final AtomicInteger admitted = new AtomicInteger();

    private final LockMeters other;

    private final AtomicBoolean warned = new AtomicBoolean();

    LockMetersByName(MeterRegistry registry) {
        this.registry = registry;
        this.other = new LockMeters(registry, OTHER);
    }

    LockMeters of(String name) {
        LockMeters known = this.byName.get(name);
        return known != null ? known : admitted(name);
    }

    private LockMeters admitted(String name) {
        LockMeters admitted = isFull() ? null : this.byName.computeIfAbsent(name, absent -> admit(absent));
        if (admitted != null) {
            return admitted;
        }
        if (this.warned.compareAndSet(false, true)) {
            logger.warn("More than " + MOST_NAMES + " different lock names: from '" + name + "' on, meters have the tag"
                    + " lock=" + OTHER + ". Names should be few; put identifiers into the key of the annotation,"
                    + " or after a ':' in the name given to getLock.");
        }
        return this.other;
    }

    private boolean isFull() {
        return this.admitted.get() >= MOST_NAMES;
    }

    private @Nullable LockMeters admit(String name) {
        return this.admitted.incrementAndGet() <= MOST_NAMES ? new LockMeters(this.registry, name) : null;
    }
}
