package io.github.lockstarter.faults;

import io.github.lockstarter.testsupport.FaultProxy;

/** How Redis cannot be reached. {@link FaultProxy#heal()} ends each of them. */
enum Outage {
    BLACK_HOLE {
        @Override
        void begin(FaultProxy proxy) {
            proxy.blackHole();
        }
    },
    REFUSED {
        @Override
        void begin(FaultProxy proxy) {
            proxy.refuse();
            proxy.cutRst();
        }
    };

    abstract void begin(FaultProxy proxy);
}
