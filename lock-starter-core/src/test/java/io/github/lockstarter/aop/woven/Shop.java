package io.github.lockstarter.aop.woven;

import io.github.lockstarter.DistributedLock;
import java.util.concurrent.CompletableFuture;

/** Methods that orders inherit and override. */
class Shop {

    @DistributedLock(name = "shop")
    CompletableFuture<String> open() {
        return CompletableFuture.completedFuture(WovenWorker.keys());
    }

    @DistributedLock
    String close() {
        return WovenWorker.keys();
    }
}
