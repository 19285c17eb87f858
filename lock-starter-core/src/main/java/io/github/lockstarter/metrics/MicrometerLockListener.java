package io.github.lockstarter.metrics;

import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockReleaseRequestedEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.aop.LockNameListener;
import io.github.lockstarter.registry.MeterListener;
import io.github.lockstarter.registry.RegistryStatistics;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Records meters of locks and leases. Thread-safe; it neither blocks nor throws, and may therefore be called by the
 * thread that causes an event.
 *
 * <p>The tag {@code lock} is the static name of a lock, never its key; from the 201st name on it is {@code other}. The
 * tag {@code mode} is {@code write}, {@code read} or {@code permit}.
 */
public final class MicrometerLockListener implements MeterListener, LockNameListener {

    private final RecordingFailures failures =
            new RecordingFailures(MicrometerLockListener.class, "Meters of locks are incomplete");

    private final LockTags tags = new LockTags("meters");

    private final HoldsByTag holds = new HoldsByTag(this.tags, System::nanoTime);

    /** The meters by the value of the tag {@code lock}. Names beyond a limit share their meters, to bound memory. */
    private final ConcurrentMap<String, LockMeters> meters = new ConcurrentHashMap<>();

    private final MeterRegistry registry;

    /** Creates a listener that records to the registry. */
    public MicrometerLockListener(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Sets the registry whose leases the gauges by name show; without it, they show none. */
    public void setStatistics(RegistryStatistics statistics) {
        this.holds.setLeases(statistics::forEachHold);
    }

    /** Registers all meters of the name in that mode with the value zero. */
    @Override
    public void named(String lockName, LockMode mode) {
        record(lockName, mode, meters -> {});
    }

    @Override
    public void waitBegan(LockRequest request) {
        record(request.name(), request.mode(), meters -> meters.waiting.increment());
    }

    @Override
    public void waitEnded(LockRequest request) {
        record(request.name(), request.mode(), meters -> meters.waiting.decrement());
    }

    @Override
    public void acquired(LockAcquiredEvent event) {
        record(
                event,
                (meters, it) -> meters.timer(it.mode(), AcquireOutcome.ACQUIRED).record(it.waited()));
    }

    @Override
    public void notAcquired(LockNotAcquiredEvent event) {
        record(
                event,
                (meters, it) ->
                        meters.timer(it.mode(), AcquireOutcome.of(it.outcome())).record(it.waited()));
    }

    @Override
    public void renewed(LockRenewedEvent event) {
        record(
                event,
                (meters, it) -> meters.timer(it.mode(), RenewalOutcome.RENEWED).record(it.took()));
    }

    @Override
    public void renewalFailed(LockRenewalFailedEvent event) {
        record(
                event,
                (meters, it) -> meters.timer(it.mode(), RenewalOutcome.of(it)).record(it.took()));
    }

    @Override
    public void releaseRequested(LockReleaseRequestedEvent event) {
        record(event, (meters, it) -> meters.releaseRequests(it.mode()).increment());
    }

    @Override
    public void lost(LockLostEvent event) {
        record(event, (meters, it) -> {
            meters.counter(it.mode(), it.reason()).increment();
            meters.hold(it.mode()).record(it.heldFor());
        });
    }

    @Override
    public void released(LockReleasedEvent event) {
        record(event, (meters, it) -> {
            meters.counter(it.mode(), it.outcome()).increment();
            if (it.outcome() != LockReleasedEvent.Outcome.LOST) {
                // The hold of a lost lease was recorded at its loss.
                meters.hold(it.mode()).record(it.heldFor());
            }
        });
    }

    @Override
    public void handedOver(LockHandedOverEvent event) {
        record(event, (meters, it) -> meters.counter(it.mode(), it.kind()).increment());
    }

    /** Records to the meters of a lock outside of an event. */
    private void record(String name, LockMode mode, Consumer<LockMeters> recording) {
        record(name, (registry, tag) -> {
            LockMeters of = metersOf(name);
            Object unused = of.ofMode(mode);
            recording.accept(of);
        });
    }

    /**
     * Records to a meter of another module. A failure is logged.
     *
     * @param name static name of the lock
     * @param recording is passed the registry and the value of the tag {@code lock}
     */
    public void record(String name, BiConsumer<MeterRegistry, String> recording) {
        try {
            recording.accept(this.registry, this.tags.of(name));
        } catch (Throwable ex) {
            // Filters and registries are foreign code, whose failure must not affect the lock.
            this.failures.add(name, ex);
        }
    }

    /** Records an event. Called for every event, so the lambdas must not capture, which would allocate. */
    private <E extends LockEvent> void record(E event, BiConsumer<LockMeters, E> recording) {
        try {
            recording.accept(metersOf(event.name()), event);
        } catch (Throwable ex) {
            this.failures.add(event.name(), ex);
        }
    }

    private LockMeters metersOf(String name) {
        LockMeters known = this.meters.get(name);
        return known != null
                ? known
                : this.meters.computeIfAbsent(
                        this.tags.of(name), tag -> new LockMeters(tag, this.registry, this.holds, this.failures));
    }
}
