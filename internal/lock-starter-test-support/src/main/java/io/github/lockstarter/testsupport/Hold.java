package io.github.lockstarter.testsupport;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A command or a reply that {@link FaultProxy} stops on its way. What follows it on the same connection, in the same
 * direction, waits too; other connections do not.
 */
public final class Hold implements AutoCloseable {

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    Hold() {}

    /** Waits until something is held here. */
    public void awaitReached(Duration limit) throws InterruptedException {
        if (!reached.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("Nothing to hold came within " + limit);
        }
    }

    public boolean isReached() {
        return reached.getCount() == 0;
    }

    /** Lets it go on, or pass at once if it comes later. */
    public void release() {
        released.countDown();
    }

    @Override
    public void close() {
        release();
    }

    void block() throws InterruptedException {
        reached.countDown();
        released.await();
    }
}
