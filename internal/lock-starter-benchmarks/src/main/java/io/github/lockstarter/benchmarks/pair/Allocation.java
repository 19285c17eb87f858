package io.github.lockstarter.benchmarks.pair;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.HashMap;
import java.util.Map;

/**
 * Bytes that the threads which are alive have allocated so far. Threads that end between two looks are not counted: JDK
 * 17 keeps no sum of all.
 */
final class Allocation {

    private static final String CALLER = "jmh-worker";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Map<Long, Long> byThread = new HashMap<>();

    private Allocation() {}

    static Allocation now() {
        Allocation now = new Allocation();
        long[] ids = THREADS.getAllThreadIds();
        long[] bytes = THREADS.getThreadAllocatedBytes(ids);
        for (int i = 0; i < ids.length; i++) {
            if (bytes[i] >= 0) {
                now.byThread.put(ids[i], bytes[i]);
            }
        }
        return now;
    }

    /** By all threads since then, or only by those that call the benchmark. */
    long since(Allocation before, boolean callersOnly) {
        long sum = 0;
        for (Map.Entry<Long, Long> thread : this.byThread.entrySet()) {
            if (!callersOnly || isCaller(thread.getKey())) {
                sum += thread.getValue() - before.byThread.getOrDefault(thread.getKey(), 0L);
            }
        }
        return sum;
    }

    private static boolean isCaller(long id) {
        ThreadInfo info = THREADS.getThreadInfo(id);
        return info != null && info.getThreadName().contains(CALLER);
    }
}
