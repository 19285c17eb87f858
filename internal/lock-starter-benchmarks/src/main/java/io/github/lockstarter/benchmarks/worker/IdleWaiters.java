package io.github.lockstarter.benchmarks.worker;

import io.github.lockstarter.benchmarks.client.ClientSettings;
import io.github.lockstarter.benchmarks.client.Contender;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.Use;
import java.util.ArrayList;
import java.util.List;

/**
 * Instances in one JVM, each with connections, threads and a waiting line of its own, that wait for a lock of another
 * JVM.
 */
final class IdleWaiters {

    private final List<LockClient> instances = new ArrayList<>();

    IdleWaiters(Contender contender, int port, int count) {
        for (int i = 0; i < count; i++) {
            LockClient instance = contender.open(new ClientSettings(port, null, Use.CONTENDED));
            // so that all its connections are open
            instance.pair("warm-up:" + i);
            this.instances.add(instance);
        }
    }

    /** Returns before all of them are in the line. None of them gets the lock before this JVM ends. */
    void start() {
        for (LockClient instance : this.instances) {
            Thread waiter = new Thread(() -> instance.getLock(Worker.ORPHAN).lock(), "waiter");
            waiter.setDaemon(true);
            waiter.start();
        }
    }
}
