package io.github.lockstarter.contract;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A thread of a test that does what it is told, one thing after the other. */
final class Actor implements AutoCloseable {

    /** Something to do that has no result. */
    @FunctionalInterface
    interface Action {
        void run() throws Exception;
    }

    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

    private final Thread thread;

    private volatile boolean closed;

    Actor(String name) {
        this.thread = new Thread(this::work, "actor-" + name);
        this.thread.setDaemon(true);
        this.thread.start();
    }

    private void work() {
        while (!this.closed) {
            try {
                this.tasks.take().run();
            } catch (InterruptedException ex) {
                // An interrupt that came late for a task is not meant for the next one.
            }
        }
    }

    /** Starts something; the result tells how it ended. */
    <T> CompletableFuture<T> start(Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        this.tasks.add(() -> {
            try {
                result.complete(task.call());
            } catch (Throwable ex) {
                result.completeExceptionally(ex);
            }
        });
        return result;
    }

    /** Does something and waits for its end; throws what it throws. */
    <T> T ask(Callable<T> task) throws Exception {
        return Outcomes.get(start(task));
    }

    /** As {@link #ask}, without a result. */
    void tell(Action action) throws Exception {
        ask(() -> {
            action.run();
            return true;
        });
    }

    Thread thread() {
        return this.thread;
    }

    void interrupt() {
        this.thread.interrupt();
    }

    /** Ends the thread, whatever it holds, when it has done what it is doing. */
    void die() throws InterruptedException {
        this.closed = true;
        this.tasks.add(() -> {});
        this.thread.join(TimeUnit.SECONDS.toMillis(20));
    }

    @Override
    public void close() {
        this.closed = true;
        this.tasks.add(() -> {});
    }
}
