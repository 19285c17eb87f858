package io.github.lockstarter.aop.woven;

import io.github.lockstarter.DistributedLock;
import java.util.concurrent.CompletableFuture;

/** Excluded from weaving by the aop.xml of the tests. */
class LeftOut {

    @DistributedLock
    void run() {}

    /** The annotation is declared in the superclass, where a weaver does not find it. */
    static class Heir extends Shop {

        @Override
        CompletableFuture<String> open() {
            return CompletableFuture.completedFuture("");
        }
    }
}
