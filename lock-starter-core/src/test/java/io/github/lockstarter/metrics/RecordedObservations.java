package io.github.lockstarter.metrics;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Keeps the acquisitions that have been observed to their end, in the order of their ends. */
final class RecordedObservations implements ObservationHandler<LockAcquisitionContext> {

    final List<LockAcquisitionContext> started = new CopyOnWriteArrayList<>();

    final List<LockAcquisitionContext> stopped = new CopyOnWriteArrayList<>();

    /** What else happens at the end of each. */
    volatile Runnable atEnd = () -> {};

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LockAcquisitionContext;
    }

    @Override
    public void onStart(LockAcquisitionContext context) {
        this.started.add(context);
    }

    @Override
    public void onStop(LockAcquisitionContext context) {
        this.atEnd.run();
        this.stopped.add(context);
    }

    /** The one of that key. */
    LockAcquisitionContext stopped(String key) {
        return this.stopped.stream()
                .filter(context -> context.getKey().equals(key))
                .findAny()
                .orElseThrow();
    }

    static Map<String, String> tags(LockAcquisitionContext context) {
        return context.getLowCardinalityKeyValues().stream()
                .collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
    }

    static Map<String, String> details(LockAcquisitionContext context) {
        return context.getHighCardinalityKeyValues().stream()
                .collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
    }

    static @Nullable Object parent(LockAcquisitionContext context) {
        return context.getParentObservation();
    }
}
