package io.github.lockstarter.benchmarks.worker;

import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.AsyncHold;
import io.github.lockstarter.benchmarks.contention.Pause;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Many acquisitions by one thread that waits for none of them, each of another lock that is free. */
final class Burst {

    private static final int WARM_UP = 1_000;

    private static final int WARM_UPS = 5;

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Longer than any contender goes on with an acquisition that it has given up. */
    private static final Duration SETTLED = Duration.ofSeconds(5);

    private static final Pattern NAME = Pattern.compile("burst:(\\d+)");

    private static final double MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final LockClient client;

    private final int port;

    private final int count;

    Burst(LockClient client, int port, int count) {
        this.client = client;
        this.port = port;
        this.count = count;
    }

    /**
     * Returns how many were granted, how many were not, how many of those that were granted are not in Redis, how many
     * are in Redis although they were not granted, the milliseconds until the last call returned and until the last
     * grant, and the bytes of the heap for each when all are called.
     */
    String measure() throws InterruptedException {
        this.client.warmUp();
        for (int i = 0; i < WARM_UPS; i++) {
            release(acquire(Math.min(WARM_UP, this.count)).await());
        }
        // In a burst of its own, because the collection stops all threads.
        long empty = HeldLocks.heapBytes();
        Acquisitions measured = acquire(this.count);
        double heap = (double) (HeldLocks.heapBytes() - empty) / this.count;
        release(measured.await());
        Acquisitions timed = acquire(this.count);
        AtomicReferenceArray<AsyncHold> granted = timed.await();
        double called = timed.returnedAfterNanos / MILLI;
        double last = timed.lastGrantAfterNanos.get() / MILLI;
        Pause.until(System.nanoTime() + SETTLED.toNanos());
        BitSet stored = stored();
        int grants = 0;
        int lost = 0;
        int leftBehind = 0;
        for (int i = 0; i < this.count; i++) {
            boolean isGranted = granted.get(i) != null;
            grants += isGranted ? 1 : 0;
            lost += isGranted && !stored.get(i) ? 1 : 0;
            leftBehind += !isGranted && stored.get(i) ? 1 : 0;
        }
        release(granted);
        return grants + " " + (this.count - grants) + " " + lost + " " + leftBehind + " " + called + " " + last + " "
                + heap;
    }

    /** Acquisitions that were called, and how they have ended. */
    private static final class Acquisitions {

        final AtomicReferenceArray<@Nullable AsyncHold> granted;

        final AtomicLong lastGrantAfterNanos = new AtomicLong();

        final CountDownLatch open;

        long returnedAfterNanos;

        Acquisitions(int count) {
            this.granted = new AtomicReferenceArray<>(count);
            this.open = new CountDownLatch(count);
        }

        /** What has no outcome after the limit counts as not granted. */
        AtomicReferenceArray<@Nullable AsyncHold> await() throws InterruptedException {
            boolean unused = this.open.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return this.granted;
        }
    }

    private Acquisitions acquire(int locks) {
        Acquisitions all = new Acquisitions(locks);
        long began = System.nanoTime();
        for (int i = 0; i < locks; i++) {
            int number = i;
            try {
                CompletionStage<?> unused = this.client
                        .holdAsync("burst:" + number)
                        .whenComplete((hold, failure) -> {
                            if (failure == null) {
                                all.granted.set(number, hold);
                                all.lastGrantAfterNanos.accumulateAndGet(System.nanoTime() - began, Math::max);
                            }
                            all.open.countDown();
                        });
            } catch (RuntimeException ex) {
                all.open.countDown();
            }
        }
        all.returnedAfterNanos = System.nanoTime() - began;
        return all;
    }

    private static void release(AtomicReferenceArray<@Nullable AsyncHold> granted) throws InterruptedException {
        List<AsyncHold> holds = new ArrayList<>();
        for (int i = 0; i < granted.length(); i++) {
            AsyncHold hold = granted.get(i);
            if (hold != null) {
                holds.add(hold);
            }
        }
        CountDownLatch open = new CountDownLatch(holds.size());
        for (AsyncHold hold : holds) {
            CompletionStage<?> unused = hold.release().whenComplete((released, failure) -> open.countDown());
        }
        boolean unused = open.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** The numbers of the locks that Redis has. */
    private BitSet stored() {
        BitSet stored = new BitSet();
        try (RedisCli cli = RedisCli.connect(this.port)) {
            for (String key : cli.keys()) {
                Matcher name = NAME.matcher(key);
                if (name.find()) {
                    stored.set(Integer.parseInt(name.group(1)));
                }
            }
        }
        return stored;
    }
}
