package io.github.lockstarter.store.redis.connection;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Asks Redis over the application's connection until it has answered once, on a background thread: such a call may block
 * for as long as the application's client permits.
 */
final class FirstAnswer {

    private final Runnable question;

    private final ConnectionAttempts attempts;

    private final CountDownLatch attempted = new CountDownLatch(1);

    private final CountDownLatch stopped = new CountDownLatch(1);

    private final Thread thread;

    private volatile boolean received;

    /**
     * Creates a watch that has not asked yet.
     *
     * @param question returns when Redis has answered, and throws if it has not
     */
    FirstAnswer(Runnable question, String servers) {
        this.question = question;
        this.attempts = new ConnectionAttempts(servers);
        CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-connection-");
        threads.setDaemon(true);
        this.thread = threads.newThread(this::ask);
    }

    /** Starts to ask, and waits for the outcome of the first attempt, but no longer than that. */
    void await(Duration atMost) {
        this.thread.start();
        try {
            boolean unused = this.attempted.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        if (!this.received) {
            this.attempts.startedWithout();
        }
    }

    boolean isReceived() {
        return this.received;
    }

    void stop() {
        this.stopped.countDown();
        this.thread.interrupt();
    }

    private void ask() {
        boolean ended = false;
        while (!ended) {
            long pause = attempt();
            this.attempted.countDown();
            try {
                ended = this.received || this.stopped.await(pause, TimeUnit.MILLISECONDS);
            } catch (InterruptedException ex) {
                ended = true;
            }
        }
    }

    /** Returns the milliseconds until the next attempt, if one is needed. */
    private long attempt() {
        try {
            this.question.run();
            this.received = true;
            this.attempts.succeeded();
            return 0;
        } catch (Throwable ex) {
            return this.stopped.getCount() > 0 ? this.attempts.failed(ex) : 0;
        }
    }
}
