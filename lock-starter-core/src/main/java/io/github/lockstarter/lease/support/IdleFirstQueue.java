package io.github.lockstarter.lease.support;

import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Queue of a pool that gives a task to an idle thread, or else to a new thread, and lets it wait only when the pool has
 * its maximum size. A {@link ThreadPoolExecutor} by itself queues before it starts threads beyond its core size.
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
