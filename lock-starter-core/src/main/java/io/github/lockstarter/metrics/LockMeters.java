package io.github.lockstarter.metrics;

import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LossReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import org.jspecify.annotations.Nullable;

/** The meters of one lock name. */
final class LockMeters {

    private static final String LOCK = "lock";

    private static final String OUTCOME = "outcome";

    private final MeterRegistry registry;

    private final String lock;

    private final EnumMeters<AcquireOutcome, Timer> acquire;

    private final EnumMeters<RenewalOutcome, Timer> renewal;

    private final EnumMeters<LossReason, Counter> lost;

    private final EnumMeters<LockReleasedEvent.Outcome, Counter> release;

    private final EnumMeters<LockHandedOverEvent.Kind, Counter> handoff;

    private volatile @Nullable Timer hold;

    LockMeters(MeterRegistry registry, String lock) {
        this.registry = registry;
        this.lock = lock;
        this.acquire = new EnumMeters<>(
                outcome -> timer("distributed.lock.acquire", "Time from asking for a lock to the end of the wait")
                        .tag(OUTCOME, outcome)
                        .register(registry));
        this.renewal =
                new EnumMeters<>(outcome -> timer("distributed.lock.renewal", "Time that the renewal of a lease takes")
                        .tag(OUTCOME, outcome)
                        .register(registry));
        this.lost = new EnumMeters<>(
                reason -> counter("distributed.lock.lost", "Leases that were lost while their owner relied on them")
                        .tag("reason", reason)
                        .register(registry));
        this.release =
                new EnumMeters<>(outcome -> counter("distributed.lock.release", "Leases that their owner gave back")
                        .tag(OUTCOME, outcome)
                        .register(registry));
        this.handoff = new EnumMeters<>(
                kind -> counter("distributed.lock.handoff", "Leases that went straight to the next in line")
                        .tag("kind", kind)
                        .register(registry));
    }

    /** Registers every meter with every tag, so that what has not happened yet shows as zero. */
    void registerAll() {
        this.acquire.registerAll(AcquireOutcome.values());
        this.renewal.registerAll(RenewalOutcome.values());
        this.lost.registerAll(LossReason.values());
        this.release.registerAll(LockReleasedEvent.Outcome.values());
        this.handoff.registerAll(LockHandedOverEvent.Kind.values());
        Timer unused = hold();
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
        return Timer.builder(name).description(description).tag(LOCK, this.lock);
    }

    private Counter.Builder counter(String name, String description) {
        return Counter.builder(name).description(description).tag(LOCK, this.lock);
    }
}
