package io.github.lockstarter.lease;

import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * The queue of a pool that gives a task to an idle thread, or else to a new one, and only when there are no more of those
 * lets it wait. A pool left to itself does the last two in the other order.
 */
final class IdleFirstQueue extends LinkedTransferQueue<Runnable> implements RejectedExecutionHandler {

    private static final long serialVersionUID = 1;

    @Override
    public boolean offer(Runnable task) {
        return tryTransfer(task);
    }

    @Override
    public void rejectedExecution(Runnable task, ThreadPoolExecutor pool) {
        if (pool.isShutdown()) {
            throw new RejectedExecutionException("stopped");
        }
        boolean unused = super.offer(task);
    }
}
