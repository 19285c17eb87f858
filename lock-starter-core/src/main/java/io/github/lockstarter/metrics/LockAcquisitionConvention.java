package io.github.lockstarter.metrics;

import io.github.lockstarter.metrics.LockObservation.HighCardinality;
import io.github.lockstarter.metrics.LockObservation.LowCardinality;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * What observations of acquisitions are called and carry. A bean of this type changes that for the whole application;
 * what it does not override stays as it is. Called by the threads that acquire, by many at the same time.
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

    /** The static name, and how it ended once it has. */
    @Override
    default KeyValues getLowCardinalityKeyValues(LockAcquisitionContext context) {
        KeyValues values = KeyValues.of(LowCardinality.LOCK.withValue(context.getLock()));
        String outcome = context.getOutcome();
        return outcome != null ? values.and(LowCardinality.OUTCOME.withValue(outcome)) : values;
    }

    /** The key unless it is empty, and the token once there is one. */
    @Override
    default KeyValues getHighCardinalityKeyValues(LockAcquisitionContext context) {
        KeyValues values = context.getKey().isEmpty()
                ? KeyValues.empty()
                : KeyValues.of(HighCardinality.KEY.withValue(context.getKey()));
        long token = context.getFencingToken();
        return token != 0 ? values.and(HighCardinality.FENCING_TOKEN.withValue(Long.toString(token))) : values;
    }
}
