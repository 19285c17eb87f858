package io.github.lockstarter.aop.woven;

import io.github.lockstarter.DistributedLock;

/** Excluded from weaving by the aop.xml of the tests. */
class LeftOut {

    @DistributedLock
    void run() {}
}
