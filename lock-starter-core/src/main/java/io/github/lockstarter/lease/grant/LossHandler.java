package io.github.lockstarter.lease.grant;

import io.github.lockstarter.LossReason;

/** Reacts to the loss of grants outside of this package: in the queue of the JVM and in the store. */
@FunctionalInterface
public interface LossHandler {

    /** Is called once for each lost grant that was not being released, on any thread; must not block. */
    void lost(Grant grant, LossReason reason);
}
