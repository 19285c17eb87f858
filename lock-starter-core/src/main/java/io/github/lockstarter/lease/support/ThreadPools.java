package io.github.lockstarter.lease.support;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Creates pools of daemon threads that start when they are first needed. */
public final class ThreadPools {

    private static final long IDLE_SECONDS = 30;

    private ThreadPools() {}

    /** Creates a pool of at most {@code size} threads, which end after 30 idle seconds. */
    public static ThreadPoolExecutor pool(String prefix, int size, BlockingQueue<Runnable> queue) {
        CustomizableThreadFactory threads = daemons(prefix);
        if (queue instanceof IdleFirstQueue idleFirst) {
            return new ThreadPoolExecutor(0, size, IDLE_SECONDS, TimeUnit.SECONDS, queue, threads, idleFirst);
        }
        ThreadPoolExecutor pool = new ThreadPoolExecutor(size, size, IDLE_SECONDS, TimeUnit.SECONDS, queue, threads);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    static ThreadPoolTaskScheduler scheduler(String prefix, int size) {
        ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
        scheduler.setThreadNamePrefix(prefix);
        scheduler.setPoolSize(size);
        scheduler.setDaemon(true);
        scheduler.setRemoveOnCancelPolicy(true);
        scheduler.initialize();
        return scheduler;
    }

    static CustomizableThreadFactory daemons(String prefix) {
        CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
        threads.setDaemon(true);
        return threads;
    }
}
