package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Service;

/** Writes reports, which takes long: longer than a lock lasts, were it not renewed. */
@Service
class ReportWriter {

    private final EventRepository events;

    ReportWriter(EventRepository events) {
        this.events = events;
    }

    /**
     * Watches the sales of an event for some seconds. The lock has a name of its own, so that tickets go on selling,
     * and no wait: a second call is refused at once.
     */
    @DistributedLock(name = "report", key = "#eventId", waitTime = 0)
    public SalesReport write(String eventId, int seconds) throws InterruptedException {
        int soldAtStart = sold(eventId);
        int sold = soldAtStart;
        Lease lease = LeaseContext.required();
        CountDownLatch lost = new CountDownLatch(1);
        lease.lost().thenRun(lost::countDown);
        for (int second = 0; second < seconds; second++) {
            lost.await(1, TimeUnit.SECONDS); // the work of a second; it stops when the lock is gone
            lease.ensureHeld();
            sold = sold(eventId);
        }
        return new SalesReport(eventId, seconds, soldAtStart, sold, lease.fencingToken());
    }

    private int sold(String eventId) {
        return events.existing(eventId).sold();
    }
}
