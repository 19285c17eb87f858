package io.github.lockstarter.faults;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Many who want few locks, and what must be true of all who get one. Nothing but the locks keeps them apart, so that a
 * lock which excludes nobody shows.
 */
final class Contention {

    /** What one lock guards. */
    private static final class Guarded {

        private final String name;

        private final AtomicReference<Lease> inside = new AtomicReference<>();

        private volatile long lastToken;

        private int visits;

        Guarded(String name) {
            this.name = name;
        }
    }

    private final List<Guarded> guarded = new ArrayList<>();

    private final Queue<String> violations = new ConcurrentLinkedQueue<>();

    private final AtomicInteger grants = new AtomicInteger();

    private final AtomicInteger losses = new AtomicInteger();

    private final AtomicInteger failures = new AtomicInteger();

    Contention(int locks) {
        for (int i = 0; i < locks; i++) {
            this.guarded.add(new Guarded("contended:" + i));
        }
    }

    /** Locks and unlocks until then; returns how often it was granted a lock. */
    int takePart(Instance instance, long untilNanos) throws InterruptedException {
        int mine = 0;
        while (System.nanoTime() - untilNanos < 0) {
            Guarded each = this.guarded.get(ThreadLocalRandom.current().nextInt(this.guarded.size()));
            try {
                Optional<Lease> lease =
                        instance.registry().tryAcquire(LockRequest.of(each.name).withWaitTime(Duration.ofSeconds(3)));
                if (lease.isPresent()) {
                    visit(each, lease.get());
                    mine++;
                }
            } catch (LockStoreException ex) {
                // the network is bad, and says so
                this.failures.incrementAndGet();
            }
        }
        return mine;
    }

    private void visit(Guarded each, Lease lease) {
        Lease before = each.inside.getAndSet(lease);
        if (before != null && before.isHeld() && lease.isHeld()) {
            this.violations.add("both held: " + before + " and " + lease);
        }
        if (lease.fencingToken() <= each.lastToken) {
            this.violations.add(lease.fencingToken() + " after " + each.lastToken);
        }
        each.lastToken = lease.fencingToken();
        int seen = each.visits;
        work();
        each.visits = seen + 1;
        this.grants.incrementAndGet();
        each.inside.compareAndSet(lease, null);
        if (!lease.release()) {
            this.losses.incrementAndGet();
        }
    }

    /** Long enough for somebody else to come in if the lock lets him. */
    private static void work() {
        long since = System.nanoTime();
        while (System.nanoTime() - since < 100_000) {
            Thread.onSpinWait();
        }
    }

    List<String> violations() {
        return List.copyOf(this.violations);
    }

    int grants() {
        return this.grants.get();
    }

    /** Grants as the unsynchronized counters saw them. */
    int visits() {
        return this.guarded.stream().mapToInt(each -> each.visits).sum();
    }

    int losses() {
        return this.losses.get();
    }

    int failures() {
        return this.failures.get();
    }
}
