package io.github.lockstarter.metrics;

import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LossReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * The meters of one value of the tag {@code lock}: gauges for all modes together, and a timer or counter for each mode
 * and each value of a further tag, which are found without allocation. All meters of a mode are registered at its first
 * use, because an alert on the increase of a counter misses its first event if the counter appears with that event.
 * Thread-safe.
 */
final class LockMeters {

    /** A meter without a further tag. */
    private enum Untagged {
        HOLD,
        RELEASE_REQUESTED
    }

    /**
     * The values of the further tags. Values of different types are different keys, although their names are the same.
     */
    private static final List<Enum<?>> VALUES = Stream.<Enum<?>[]>of(
                    AcquireOutcome.values(),
                    RenewalOutcome.values(),
                    LossReason.values(),
                    LockReleasedEvent.Outcome.values(),
                    LockHandedOverEvent.Kind.values(),
                    Untagged.values())
            .<Enum<?>>flatMap(Stream::of)
            .toList();

    private static final String LOCK = "lock";

    private static final String OUTCOME = "outcome";

    private final String lock;

    private final MeterRegistry registry;

    private final HoldsByTag holds;

    private final RecordingFailures failures;

    /** The acquisitions that wait. */
    final LongAdder waiting = new LongAdder();

    private final AtomicBoolean hasGauges = new AtomicBoolean();

    private final ConcurrentMap<LockMode, ConcurrentMap<Enum<?>, Meter>> byMode = new ConcurrentHashMap<>();

    LockMeters(String lock, MeterRegistry registry, HoldsByTag holds, RecordingFailures failures) {
        this.lock = lock;
        this.registry = registry;
        this.holds = holds;
        this.failures = failures;
    }

    Timer hold(LockMode mode) {
        return timer(mode, Untagged.HOLD);
    }

    Counter releaseRequests(LockMode mode) {
        return counter(mode, Untagged.RELEASE_REQUESTED);
    }

    Timer timer(LockMode mode, Enum<?> value) {
        return (Timer) meter(mode, value);
    }

    Counter counter(LockMode mode, Enum<?> value) {
        return (Counter) meter(mode, value);
    }

    private Meter meter(LockMode mode, Enum<?> value) {
        ConcurrentMap<Enum<?>, Meter> meters = ofMode(mode);
        Meter known = meters.get(value);
        return known != null ? known : registered(meters, mode, value);
    }

    /** Registers all meters of the mode with the value zero, unless that has been done. */
    ConcurrentMap<Enum<?>, Meter> ofMode(LockMode mode) {
        ConcurrentMap<Enum<?>, Meter> known = this.byMode.get(mode);
        if (known != null) {
            return known;
        }
        ConcurrentMap<Enum<?>, Meter> created = new ConcurrentHashMap<>();
        ConcurrentMap<Enum<?>, Meter> other = this.byMode.putIfAbsent(mode, created);
        if (other != null) {
            return other;
        }
        // Micrometer logs a WARN if a gauge is registered again.
        if (this.hasGauges.compareAndSet(false, true)) {
            registerGauges();
        }
        VALUES.forEach(value -> tryTo(() -> registered(created, mode, value)));
        return created;
    }

    /** Filters and registries are foreign code, whose failure costs no other meter. */
    private void tryTo(Runnable registration) {
        try {
            registration.run();
        } catch (Throwable ex) {
            this.failures.add(this.lock, ex);
        }
    }

    /** Registers a meter. If two threads do so at the same time, the registry returns the same meter to both. */
    private Meter registered(ConcurrentMap<Enum<?>, Meter> meters, LockMode mode, Enum<?> value) {
        Tags tags = Tags.of(LOCK, this.lock, "mode", LockTags.of(mode));
        String text = value.name().toLowerCase(Locale.ROOT);
        Meter meter;
        if (value instanceof AcquireOutcome) {
            meter = Timer.builder("distributed.lock.acquire")
                    .description("Time from the request for a lock to its grant or the end of the wait")
                    .tags(tags.and(OUTCOME, text))
                    .register(this.registry);
        } else if (value instanceof RenewalOutcome) {
            meter = Timer.builder("distributed.lock.renewal")
                    .description("Time from sending a renewal to its reply")
                    .tags(tags.and(OUTCOME, text))
                    .register(this.registry);
        } else if (value instanceof LossReason) {
            meter = Counter.builder("distributed.lock.lost")
                    .description("Leases that were lost before their release")
                    .tags(tags.and("reason", text))
                    .register(this.registry);
        } else if (value instanceof LockReleasedEvent.Outcome) {
            meter = Counter.builder("distributed.lock.release")
                    .description("Leases that were released by their owner")
                    .tags(tags.and(OUTCOME, text))
                    .register(this.registry);
        } else if (value instanceof LockHandedOverEvent.Kind) {
            meter = Counter.builder("distributed.lock.handoff")
                    .description("Locks that were granted directly to the next waiter by a release")
                    .tags(tags.and("kind", text))
                    .register(this.registry);
        } else if (value == Untagged.RELEASE_REQUESTED) {
            meter = Counter.builder("distributed.lock.release.requested")
                    .description("Leases whose owner was asked to release them")
                    .tags(tags)
                    .register(this.registry);
        } else {
            meter = Timer.builder("distributed.lock.hold")
                    .description("Time from the grant of a lease to its release or loss")
                    .tags(tags)
                    .register(this.registry);
        }
        meters.put(value, meter);
        return meter;
    }

    /** Registers the gauges, which keep a weak reference to this object. */
    private void registerGauges() {
        tryTo(() -> Gauge.builder("distributed.lock.active", this, meters -> meters.holds.of(meters.lock).count)
                .description("Leases that are held")
                .tag(LOCK, this.lock)
                .register(this.registry));
        tryTo(() -> Gauge.builder("distributed.lock.waiting", this, meters -> meters.waiting.sum())
                .description("Acquisitions that wait for a lock")
                .tag(LOCK, this.lock)
                .register(this.registry));
        tryTo(() -> TimeGauge.builder(
                        "distributed.lock.hold.longest",
                        this,
                        TimeUnit.NANOSECONDS,
                        meters -> meters.holds.of(meters.lock).longestNanos)
                .description("Time since the grant of the lease that has been held for the longest time")
                .tag(LOCK, this.lock)
                .register(this.registry));
    }
}
