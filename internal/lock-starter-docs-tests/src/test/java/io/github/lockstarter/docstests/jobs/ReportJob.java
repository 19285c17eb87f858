package io.github.lockstarter.docstests.jobs;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;

/** The code of the manual, word for word. */
class ReportJob {

    private final LockRegistry lockRegistry;

    private final Reports reports;

    ReportJob(LockRegistry lockRegistry, Reports reports) {
        this.lockRegistry = lockRegistry;
        this.reports = reports;
    }

    boolean writeReport(String id) throws InterruptedException {
        try (Lease lease = lockRegistry.acquire(LockRequest.of("report", id))) {
            for (String chapter : reports.openChapters(id)) {
                if (lease.isReleaseRequested()) {
                    reports.save(id, chapter); // the next run begins with this chapter
                    return false; // releases the lock
                }
                lease.ensureHeld(); // LockLostException if the lock was lost
                reports.write(chapter, lease.fencingToken());
            }
            return true;
        }
    }

    void cancelWhenAsked(Lease lease, Future<?> work) {
        lease.releaseRequested().thenRun(() -> work.cancel(true));
    }

    Lease takeOver(String id) throws InterruptedException {
        LeaseLock lock = lockRegistry.getLock("report", id);
        LockRequest request = LockRequest.of("report", id).withWaitTime(Duration.ofMinutes(1));
        lock.requestRelease();
        Optional<Lease> granted = lockRegistry.tryAcquire(request); // waits for a minute
        if (granted.isPresent()) {
            return granted.get();
        }
        lock.forceUnlock(); // the owner did not stop
        return lockRegistry.acquire(request);
    }
}
