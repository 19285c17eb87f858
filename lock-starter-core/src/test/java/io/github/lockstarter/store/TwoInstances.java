package io.github.lockstarter.store;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Instances that share their locks, whatever the store; they stop with the test. */
abstract class TwoInstances {

    /** One that needs care in a key. */
    static final String NAME = "orders:{42}%";

    private final List<StoreInstance> instances = new ArrayList<>();

    /** A store, not started, that shares its locks with the others that this test has made. */
    abstract LockStore newStore();

    /** Returns when a waiter of that instance can be reached. */
    abstract void awaitReachable(StoreInstance instance);

    final StoreInstance instance(String id) {
        return instance(id, newStore());
    }

    final StoreInstance instance(String id, LockStore store) {
        StoreInstance instance = new StoreInstance(id, store);
        this.instances.add(instance);
        awaitReachable(instance);
        return instance;
    }

    @AfterEach
    final void stop() {
        this.instances.forEach(StoreInstance::close);
    }
}
