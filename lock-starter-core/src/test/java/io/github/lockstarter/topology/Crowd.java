package io.github.lockstarter.topology;

import static io.github.lockstarter.fixture.Waiting.afterFailover;

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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Many threads of several instances that want few locks, and what they saw of each other. */
final class Crowd implements AutoCloseable {

    /** What one lock guards. */
    private static final class Guarded {

        private final String name;

        private final AtomicReference<Lease> inside = new AtomicReference<>();

        private final AtomicLong largestToken = new AtomicLong();

        private final AtomicInteger grants = new AtomicInteger();

        Guarded(String name) {
            this.name = name;
        }
    }

    private static final Duration WAIT = Duration.ofSeconds(2);

    private final List<Guarded> guarded;

    private final List<Thread> threads = new ArrayList<>();

    private final Queue<String> overlaps = new ConcurrentLinkedQueue<>();

    private final Queue<String> disorder = new ConcurrentLinkedQueue<>();

    private final AtomicInteger losses = new AtomicInteger();

    private final AtomicInteger failures = new AtomicInteger();

    private volatile boolean over;

    Crowd(List<String> names) {
        this.guarded = names.stream().map(Guarded::new).toList();
    }

    /** So many threads of that instance join. */
    void join(Instance instance, int count) {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> takePart(instance), "crowd");
            thread.setDaemon(true);
            this.threads.add(thread);
            thread.start();
        }
    }

    private void takePart(Instance instance) {
        try {
            while (!this.over) {
                Guarded each = this.guarded.get(ThreadLocalRandom.current().nextInt(this.guarded.size()));
                long before = each.largestToken.get();
                try {
                    Optional<Lease> lease = instance.registry()
                            .tryAcquire(LockRequest.of(each.name).withWaitTime(WAIT));
                    if (lease.isPresent()) {
                        visit(each, lease.get(), before);
                    }
                } catch (LockStoreException ex) {
                    this.failures.incrementAndGet();
                }
            }
        } catch (InterruptedException ex) {
            this.disorder.add("interrupted");
        }
    }

    /** Whoever asked after somebody else was granted the lock must be granted a larger token. */
    private void visit(Guarded each, Lease lease, long before) {
        Lease other = each.inside.getAndSet(lease);
        if (other != null && other.isHeld() && lease.isHeld()) {
            this.overlaps.add(each.name + ": " + other + " and " + lease);
        }
        long token = lease.fencingToken();
        if (token <= before) {
            this.disorder.add(each.name + ": " + token + " after " + before);
        }
        each.largestToken.accumulateAndGet(token, Math::max);
        each.grants.incrementAndGet();
        work();
        each.inside.compareAndSet(lease, null);
        if (!lease.release()) {
            this.losses.incrementAndGet();
        }
    }

    /** Long enough for somebody else to come in if the lock lets him. */
    private static void work() {
        long since = System.nanoTime();
        while (System.nanoTime() - since < 200_000) {
            Thread.onSpinWait();
        }
    }

    /** Waits until each lock has been granted so often from now on. */
    void awaitGrants(int more) {
        int[] wanted =
                this.guarded.stream().mapToInt(each -> each.grants.get() + more).toArray();
        for (int i = 0; i < wanted.length; i++) {
            int index = i;
            afterFailover().until(() -> this.guarded.get(index).grants.get() >= wanted[index]);
        }
    }

    /** Two who both held a lock at the same moment. */
    List<String> overlaps() {
        return List.copyOf(this.overlaps);
    }

    /** Tokens that were not larger than those granted before. */
    List<String> disorder() {
        return List.copyOf(this.disorder);
    }

    @Override
    public String toString() {
        int grants = this.guarded.stream().mapToInt(each -> each.grants.get()).sum();
        return grants + " grants, " + this.overlaps.size() + " overlaps, " + this.losses + " losses, " + this.failures
                + " times no answer";
    }

    /** Everybody goes home. */
    @Override
    public void close() {
        this.over = true;
        afterFailover().until(() -> this.threads.stream().noneMatch(Thread::isAlive));
    }
}
