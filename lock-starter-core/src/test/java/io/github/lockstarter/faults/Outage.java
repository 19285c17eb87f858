package io.github.lockstarter.faults;

import io.github.lockstarter.testsupport.FaultProxy;

/** How Redis cannot be reached. {@link FaultProxy#heal()} ends each of them. */
enum Outage {
    BLACK_HOLE,
    REFUSED;

    void begin(FaultProxy proxy) {
        if (this == BLACK_HOLE) {
            proxy.blackHole();
        } else {
            proxy.refuse();
            proxy.cutRst();
        }
    }
}
