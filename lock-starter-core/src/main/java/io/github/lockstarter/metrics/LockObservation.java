package io.github.lockstarter.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** Documents the observations of locks and their key names. */
public enum LockObservation implements ObservationDocumentation {

    /**
     * One acquisition, from the request for the lock to its end, with or without the lock. A blocked thread waits in
     * its scope. {@link LockAcquisitionConvention} determines its names and key values.
     */
    ACQUISITION {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return LockAcquisitionConvention.class;
        }

        @Override
        public KeyName[] getLowCardinalityKeyNames() {
            return LowCardinality.values();
        }

        @Override
        public KeyName[] getHighCardinalityKeyNames() {
            return HighCardinality.values();
        }
    };

    /** Keys with few values, which are also suitable as tags of meters. */
    public enum LowCardinality implements KeyName {

        /** The static name of the lock. */
        LOCK("lock"),

        /** What the grant allows beside it: {@code write}, {@code read} or {@code permit}. */
        MODE("distributed.lock.mode"),

        /**
         * How the acquisition ended: {@code acquired}, {@code timeout}, {@code skipped}, {@code interrupted} or {@code
         * error}.
         */
        OUTCOME("outcome");

        private final String text;

        LowCardinality(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return this.text;
        }
    }

    /** Keys with an unbounded number of values, for traces only. */
    public enum HighCardinality implements KeyName {

        /** The key under the static name. */
        KEY("key"),

        /** The fencing token of the grant. */
        FENCING_TOKEN("fencing.token"),

        /** The id of the instance that acquires. */
        INSTANCE("distributed.lock.instance"),

        /** The id of the instance that held the lock at the end of the wait. */
        HOLDER("distributed.lock.holder");

        private final String text;

        HighCardinality(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return this.text;
        }
    }
}
