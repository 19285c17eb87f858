package io.github.lockstarter.aop.woven;

import io.github.lockstarter.DistributedLock;

/** Two methods that derive the same lock name. */
class Twins {

    @DistributedLock
    static void run(String id) {}

    @DistributedLock
    final void run() {}
}
