package io.github.lockstarter.aop.woven;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

/** Methods of all kinds, each of which returns the keys that exist in Redis while it runs. */
class Orders extends Shop {

    private final LockRegistry registry;

    Orders(LockRegistry registry) {
        this.registry = registry;
    }

    String settle(String id) {
        return book(id);
    }

    @DistributedLock(name = "order", key = "#id")
    private String book(String id) {
        return WovenWorker.keys() + " held "
                + this.registry.getLock("order:" + id).getHoldCount() + " times by "
                + LeaseContext.required().name();
    }

    @DistributedLock(name = "total")
    static String total() {
        return WovenWorker.keys();
    }

    String report() {
        return report(true);
    }

    @Nightly
    private final String report(boolean again) {
        return again ? report(false) : WovenWorker.keys();
    }

    @DistributedLock(name = "first")
    @DistributedLock(name = "second")
    String both() {
        return WovenWorker.keys();
    }

    String count(int number) {
        return counted(number);
    }

    @DistributedLock(name = "count", condition = "#number > 5")
    private String counted(int number) {
        return number + " " + WovenWorker.keys();
    }

    @DistributedLock
    @Override
    CompletableFuture<String> open() {
        return super.open().thenApply(keys -> keys + " opened");
    }

    @DistributedLock(name = "later")
    CompletableFuture<String> later(CompletableFuture<String> work) {
        return work;
    }

    @DistributedLock(name = "reactive")
    Mono<String> reactive() {
        return Mono.fromSupplier(WovenWorker::keys);
    }

    @DistributedLock(name = "busy", waitTime = 0, fallback = "closed")
    private String busy() {
        return "not closed";
    }

    String closed(LockNotGrantedException failure) {
        return "closed, for " + failure.getClass().getSimpleName();
    }

    @DistributedLock(name = "busy", waitTime = 0, fallback = "closedNow")
    static String busyNow(String id) {
        return "not closed";
    }

    static String closedNow(String id, LockNotGrantedException failure) {
        return "closed for " + id + ", for " + failure.getClass().getSimpleName();
    }

    String tryBusy() {
        return busy();
    }

    @DistributedLock(name = "account")
    @Transactional
    String pay() {
        WovenWorker.print("paying " + WovenWorker.keys());
        return "paid";
    }

    @DistributedLock(name = "account")
    @Transactional
    Mono<String> reactivePay() {
        WovenWorker.print("paying later " + WovenWorker.keys());
        return Mono.fromSupplier(() -> WovenWorker.keys() + " paid");
    }

    @DistributedLock(name = "mail")
    @Async
    CompletableFuture<String> mail() {
        return CompletableFuture.completedFuture(
                WovenWorker.keys() + " by " + LeaseContext.required().name());
    }

    String print() {
        return printed();
    }

    @DistributedSemaphore(name = "printers", permits = 3, weight = 2)
    private String printed() {
        return WovenWorker.keys() + " "
                + this.registry.getSemaphore("printers", 3).availablePermits() + " left";
    }

    @DistributedSemaphore(name = "editors", permits = 1)
    @DistributedLock(name = "book", mode = LockMode.READ)
    String edit() {
        return WovenWorker.keys() + " "
                + this.registry.getReadWriteLock("book").readLock().getHoldCount() + " by "
                + LeaseContext.required().name();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "nightly")
    @interface Nightly {}
}
