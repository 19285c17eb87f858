package io.github.lockstarter.benchmarks.worker;

import com.sun.management.OperatingSystemMXBean;
import io.github.lockstarter.benchmarks.client.LockClient;
import java.lang.management.ManagementFactory;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Many locks that are held for ever, one more than they are said to be, and what they cost in memory. */
final class HeldLocks {

    /** Enough to keep Redis busy while they are taken. */
    private static final int THREADS = 16;

    /** So that classes, pools and buffers are there before the heap is measured. */
    private static final int WARM_UP = 200;

    private final LockClient client;

    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    HeldLocks(LockClient client) {
        this.client = client;
    }

    /**
     * Takes the locks after so many pairs of lock and unlock, one after another, between which no lock is held. Returns
     * bytes per lock, without and with the bytes of its name.
     */
    String take(int count, int pairsBefore) throws InterruptedException {
        for (int i = 0; i < pairsBefore; i++) {
            this.client.pair("before:" + i);
        }
        Object first = warmUp();
        long empty = heapBytes();
        String[] names = new String[count];
        for (int i = 0; i < count; i++) {
            names[i] = "held:" + i;
        }
        Object[] handles = new Object[count + 1];
        handles[count] = first;
        long named = heapBytes();
        takeAll(names, handles);
        long taken = heapBytes();
        return (double) (taken - named) / count + " " + (double) (taken - empty) / count;
    }

    /**
     * Under a lock that is kept: whenever the last lock is given back and another one taken, Redisson starts one more
     * timer that renews everything, and only the pairs before are to do so.
     */
    private Object warmUp() throws InterruptedException {
        Object handle = this.client.hold("first");
        for (int i = 0; i < WARM_UP; i++) {
            this.client.pair("warm-up:" + i);
        }
        return handle;
    }

    /** The threads stay alive, for some of the locks belong to them. */
    private void takeAll(String[] names, Object[] handles) throws InterruptedException {
        CountDownLatch taken = new CountDownLatch(THREADS);
        for (int i = 0; i < THREADS; i++) {
            int first = i;
            Thread holder = new Thread(() -> hold(names, handles, first, taken), "holder-" + i);
            holder.setDaemon(true);
            holder.start();
        }
        taken.await();
        if (!this.failures.isEmpty()) {
            throw new IllegalStateException("Not all locks were taken", this.failures.peek());
        }
    }

    private void hold(String[] names, Object[] handles, int first, CountDownLatch taken) {
        try {
            for (int i = first; i < names.length; i += THREADS) {
                handles[i] = this.client.hold(names[i]);
            }
        } catch (InterruptedException | RuntimeException ex) {
            this.failures.add(ex);
        } finally {
            taken.countDown();
        }
        while (true) {
            LockSupport.park(handles);
        }
    }

    /** The least of a few looks: renewals leave garbage at any time. */
    static long heapBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    static long processCpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
