package io.github.lockstarter.metrics;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.metrics.LockObservation.HighCardinality;
import io.github.lockstarter.metrics.LockObservation.LowCardinality;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Determines the names and key values of the observations of acquisitions. A bean of this type applies to the whole
 * application; methods that it does not override keep their default. It must be thread-safe, because the acquiring
 * threads call it concurrently.
 */
public interface LockAcquisitionConvention extends ObservationConvention<LockAcquisitionContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof LockAcquisitionContext;
    }

    @Override
    default String getName() {
        return "distributed.lock.acquisition";
    }

    @Override
    default String getContextualName(LockAcquisitionContext context) {
        return "acquire " + context.getLock();
    }

    /**
     * {@inheritDoc} By default {@code lock} and {@code distributed.lock.mode}, and {@code outcome} after the end of the
     * acquisition.
     */
    @Override
    default KeyValues getLowCardinalityKeyValues(LockAcquisitionContext context) {
        KeyValues values = KeyValues.of(
                LowCardinality.LOCK.withValue(context.getLock()),
                LowCardinality.MODE.withValue(LockTags.of(context.getMode())));
        String outcome = context.getOutcome();
        return outcome != null ? values.and(LowCardinality.OUTCOME.withValue(outcome)) : values;
    }

    /**
     * {@inheritDoc} By default {@code key} unless it is empty, {@code distributed.lock.instance}, {@code fencing.token}
     * after the grant, and {@code distributed.lock.holder} after {@code timeout} and {@code skipped} if the holder is
     * known.
     */
    @Override
    default KeyValues getHighCardinalityKeyValues(LockAcquisitionContext context) {
        KeyValues values = KeyValues.of(HighCardinality.INSTANCE.withValue(context.getInstance()));
        if (!context.getKey().isEmpty()) {
            values = values.and(HighCardinality.KEY.withValue(context.getKey()));
        }
        long token = context.getFencingToken();
        if (token != 0) {
            values = values.and(HighCardinality.FENCING_TOKEN.withValue(Long.toString(token)));
        }
        LockHolder holder = context.getHolder();
        return holder != null ? values.and(HighCardinality.HOLDER.withValue(holder.instance())) : values;
    }
}
