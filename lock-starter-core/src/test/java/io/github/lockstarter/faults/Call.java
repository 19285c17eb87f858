package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.lang.Thread.State;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;

/** A call in a thread of its own, which can be interrupted. */
final class Call<T> {

    private static final Set<State> PARKED = EnumSet.of(State.WAITING, State.TIMED_WAITING);

    private final FutureTask<T> task;

    private final Thread thread;

    private Call(Callable<T> body) {
        this.task = new FutureTask<>(body);
        this.thread = new Thread(this.task, "caller");
        this.thread.setDaemon(true);
    }

    static <T> Call<T> start(Callable<T> body) {
        Call<T> call = new Call<>(body);
        call.thread.start();
        return call;
    }

    /** Interrupts it, whatever it does. */
    void interrupt() {
        this.thread.interrupt();
    }

    /** Waits until the thread waits for something. */
    void awaitParked() {
        soon().until(() -> PARKED.contains(this.thread.getState()));
    }

    boolean isDone() {
        return this.task.isDone();
    }

    /** Its result; what it threw goes on as the cause of an {@link ExecutionException}. */
    T result() throws ExecutionException, InterruptedException {
        try {
            return this.task.get(LIMIT.toMillis(), MILLISECONDS);
        } catch (TimeoutException ex) {
            throw new AssertionError(
                    "No result within " + LIMIT + ", the thread is at " + Arrays.toString(this.thread.getStackTrace()));
        }
    }

    /** What it threw. */
    Throwable failure() throws InterruptedException {
        try {
            throw new AssertionError("No failure, but " + result());
        } catch (ExecutionException ex) {
            return ex.getCause();
        }
    }
}
