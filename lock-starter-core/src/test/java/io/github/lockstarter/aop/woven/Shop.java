package io.github.lockstarter.aop.woven;

import io.github.lockstarter.DistributedLock;
import java.util.concurrent.CompletableFuture;

/** Methods that orders inherit and override. */
class Shop {

    private final Keys keys;

    Shop(Keys keys) {
        this.keys = keys;
    }

    @DistributedLock(name = "shop")
    CompletableFuture<String> open() {
        return CompletableFuture.completedFuture(this.keys.toString());
    }

    @DistributedLock
    String close() {
        return this.keys.toString();
    }
}
