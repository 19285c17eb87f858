package io.github.lockstarter.aop.weave.woven;

import io.github.lockstarter.DistributedLock;
import java.util.concurrent.CompletableFuture;

/** The aop.xml of the tests keeps the weaver from this class. */
class LeftOut {

    @DistributedLock
    void run() {}

    /** The weaver would have to know what stands on the other class. */
    static class Heir extends Shop {

        Heir() {
            super(null);
        }

        @Override
        CompletableFuture<String> open() {
            return CompletableFuture.completedFuture("");
        }
    }
}
