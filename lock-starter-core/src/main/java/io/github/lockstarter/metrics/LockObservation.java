package io.github.lockstarter.metrics;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** Observations of locks, and their keys. */
public enum LockObservation implements ObservationDocumentation {

    /**
     * From the call that asks for a lock to its end, with or without the lock. A thread that waits works in its scope.
     * What it carries is up to {@link LockAcquisitionConvention}.
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

    /** Keys with few values: tags of meters, too. */
    public enum LowCardinality implements KeyName {

        /** The static name of the lock. */
        LOCK {
            @Override
            public String asString() {
                return "lock";
            }
        },

        /** How it ended. */
        OUTCOME {
            @Override
            public String asString() {
                return "outcome";
            }
        }
    }

    /** Keys with any number of values: in traces only. */
    public enum HighCardinality implements KeyName {

        /** What is locked under the static name. */
        KEY {
            @Override
            public String asString() {
                return "key";
            }
        },

        /** Token of the grant. */
        FENCING_TOKEN {
            @Override
            public String asString() {
                return "fencing.token";
            }
        }
    }
}
