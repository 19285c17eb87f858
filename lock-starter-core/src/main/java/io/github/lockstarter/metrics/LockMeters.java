package io.github.lockstarter.metrics;

import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LossReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/** The meters of one lock name and mode. Thread-safe. */
final class LockMeters {

    static final String LOCK = "lock";

    private static final String MODE = "mode";

    private static final String OUTCOME = "outcome";

    private final MeterRegistry registry;

    private final String lock;

    private final String mode;

    private final NameGauges gauges;

    private final EnumMeters<AcquireOutcome, Timer> acquire;

    private final EnumMeters<RenewalOutcome, Timer> renewal;

    private final EnumMeters<LossReason, Counter> lost;

    private final EnumMeters<LockReleasedEvent.Outcome, Counter> release;

    private final EnumMeters<LockHandedOverEvent.Kind, Counter> handoff;

    private volatile @Nullable Timer hold;

    LockMeters(MeterRegistry registry, String lock, LockMode mode, NameGauges gauges) {
        this.registry = registry;
        this.lock = lock;
        this.mode = LockTags.of(mode);
        this.gauges = gauges;
        this.acquire = new EnumMeters<>(outcome -> timer(
                        "distributed.lock.acquire",
                        "Time from the request for a lock to its grant or the end of the wait")
                .tag(OUTCOME, outcome)
                .register(registry));
        this.renewal = new EnumMeters<>(
                outcome -> timer("distributed.lock.renewal", "Time from sending a renewal to its reply")
                        .tag(OUTCOME, outcome)
                        .register(registry));
        this.lost = new EnumMeters<>(
                reason -> counter("distributed.lock.lost", "Leases that were lost before their release")
                        .tag("reason", reason)
                        .register(registry));
        this.release = new EnumMeters<>(
                outcome -> counter("distributed.lock.release", "Leases that were released by their owner")
                        .tag(OUTCOME, outcome)
                        .register(registry));
        this.handoff = new EnumMeters<>(kind -> counter(
                        "distributed.lock.handoff", "Locks that were granted directly to the next waiter by a release")
                .tag("kind", kind)
                .register(registry));
    }

    /** Registers all meters with all values of their tags, so that they are exported as zero before the first event. */
    void registerAll() {
        this.acquire.registerAll(AcquireOutcome.values());
        this.renewal.registerAll(RenewalOutcome.values());
        this.lost.registerAll(LossReason.values());
        this.release.registerAll(LockReleasedEvent.Outcome.values());
        this.handoff.registerAll(LockHandedOverEvent.Kind.values());
        Timer unused = hold();
    }

    /** Returns the gauges of the name, which all modes share. */
    NameGauges gauges() {
        return this.gauges;
    }

    Timer acquire(AcquireOutcome outcome) {
        return this.acquire.of(outcome);
    }

    Timer renewal(RenewalOutcome outcome) {
        return this.renewal.of(outcome);
    }

    Timer hold() {
        Timer known = this.hold;
        if (known == null) {
            known = timer("distributed.lock.hold", "Time from the grant of a lease to its release or loss")
                    .register(this.registry);
            this.hold = known;
        }
        return known;
    }

    Counter lost(LossReason reason) {
        return this.lost.of(reason);
    }

    Counter release(LockReleasedEvent.Outcome outcome) {
        return this.release.of(outcome);
    }

    Counter handoff(LockHandedOverEvent.Kind kind) {
        return this.handoff.of(kind);
    }

    private Timer.Builder timer(String name, String description) {
        return Timer.builder(name).description(description).tag(LOCK, this.lock).tag(MODE, this.mode);
    }

    private Counter.Builder counter(String name, String description) {
        return Counter.builder(name)
                .description(description)
                .tag(LOCK, this.lock)
                .tag(MODE, this.mode);
    }
}
