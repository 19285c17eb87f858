package io.github.lockstarter.faults;

import io.github.lockstarter.testsupport.FaultProxy;

/** What becomes of a connection on which something was lost. */
enum ConnectionEnd {
    RESET {
        @Override
        void of(FaultProxy proxy) {
            proxy.cutRst();
        }
    },
    ORDERLY {
        @Override
        void of(FaultProxy proxy) {
            proxy.cutFin();
        }
    },
    SILENCE {
        @Override
        void of(FaultProxy proxy) {
            // stays open, and nothing gets through it any more
        }
    };

    abstract void of(FaultProxy proxy);
}
