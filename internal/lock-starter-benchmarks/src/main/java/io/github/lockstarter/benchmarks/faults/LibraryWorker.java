package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.AcquireRequest;
import io.github.lockstarter.testsupport.history.HeldLock;
import io.github.lockstarter.testsupport.history.HistoryWorker;
import io.github.lockstarter.testsupport.history.LockFailureException;
import io.github.lockstarter.testsupport.history.LockUnderTest;
import io.github.lockstarter.testsupport.history.WorkerArguments;
import java.time.Duration;
import java.util.Optional;

/** A worker process that uses the {@link Library} which its variant names. */
final class LibraryWorker {

    private static final Duration START = Duration.ofSeconds(45);

    private static final long RETRY_MILLIS = 100;

    private LibraryWorker() {}

    public static void main(String[] arguments) throws Exception {
        HistoryWorker.run(arguments, LibraryWorker::open);
    }

    private static LockUnderTest open(WorkerArguments arguments) throws InterruptedException {
        long end = System.nanoTime() + START.toNanos();
        LockUnderTest locks = create(arguments, end);
        // The first connection and the first call of a JVM can take longer than a command may.
        AcquireRequest request = new AcquireRequest("warm-up-" + arguments.name(), Duration.ZERO, null);
        while (!acquires(locks, request) && System.nanoTime() - end < 0) {
            Thread.sleep(RETRY_MILLIS);
        }
        return locks;
    }

    /** Creates the client of the library. Some clients need a server that answers, so that this is repeated. */
    private static LockUnderTest create(WorkerArguments arguments, long end) throws InterruptedException {
        while (true) {
            try {
                return Library.valueOf(arguments.variant()).open(arguments.port(), arguments.timing());
            } catch (RuntimeException ex) {
                if (System.nanoTime() - end > 0) {
                    throw ex;
                }
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }

    private static boolean acquires(LockUnderTest locks, AcquireRequest request) throws InterruptedException {
        try {
            Optional<HeldLock> held = locks.tryAcquire(request);
            return held.isPresent() && held.get().release();
        } catch (LockFailureException ex) {
            return false;
        }
    }
}
