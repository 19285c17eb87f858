package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.lease.support.LockThreads;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs the checks of one asynchronous wait on the I/O threads, one after the other. Requests that arrive during a check
 * cause one more check after it, however many there are.
 */
final class SerialChecks {

    private final LockThreads threads;

    private final Runnable check;

    /** Requests since the last check began. */
    private final AtomicInteger requests = new AtomicInteger();

    SerialChecks(LockThreads threads, Runnable check) {
        this.threads = threads;
        this.check = check;
    }

    /** Requests a check, on any thread; returns false if the I/O threads have ended and it will not run. */
    boolean request() {
        return this.requests.getAndIncrement() != 0 || this.threads.io(this::run);
    }

    private void run() {
        int seen;
        do {
            seen = this.requests.get();
            this.check.run();
        } while (this.requests.addAndGet(-seen) != 0);
    }
}
