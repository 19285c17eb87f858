package io.github.lockstarter.aop;

import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads that release locks when a future or a publisher has ended. A release waits for Redis, and whoever ends
 * the work must not: it may be the very thread that reads the answers of Redis. Nor may a pool of the application do
 * it, all threads of which can be waiting for that lock.
 */
final class ReleaseThreads implements Executor {

    /** With more releases than that under way at once, those who ended the work wait after all. */
    private static final int MOST = 200;

    private final ThreadPoolExecutor threads;

    ReleaseThreads() {
        CustomizableThreadFactory factory = new CustomizableThreadFactory("lock-release-");
        factory.setDaemon(true);
        this.threads = new ThreadPoolExecutor(
                0,
                MOST,
                30,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                factory,
                new ThreadPoolExecutor.CallerRunsPolicy());
    }

    @Override
    public void execute(Runnable release) {
        this.threads.execute(release);
    }
}
