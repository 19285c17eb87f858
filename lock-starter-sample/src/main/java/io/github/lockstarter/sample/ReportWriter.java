package io.github.lockstarter.sample;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Service;

/** Writes reports, which takes longer than a lease: the watchdog renews it. */
@Service
class ReportWriter {

    private final TicketOffice office;

    ReportWriter(TicketOffice office) {
        this.office = office;
    }

    /**
     * A report on the sales of some time.
     *
     * @param soldAtStart number of sold tickets at the start
     * @param sold number of sold tickets at the end
     * @param token fencing token of the lock, the same from start to end
     */
    record Report(String eventId, int seconds, int soldAtStart, int sold, long token) {}

    /**
     * Observes the sales of an event for some seconds. The name of the lock is not that of the sales, which go on;
     * without a wait, a second report is refused at once.
     */
    @DistributedLock(name = "report", key = "#eventId", waitTime = 0)
    public Report write(String eventId, int seconds) throws InterruptedException {
        int soldAtStart = office.find(eventId).sold();
        Lease lease = LeaseContext.required();
        CountDownLatch lost = new CountDownLatch(1);
        lease.lost().thenRun(lost::countDown);
        if (lost.await(seconds, TimeUnit.SECONDS)) { // the work, which stops as soon as the lock is lost
            lease.ensureHeld(); // throws
        }
        return new Report(eventId, seconds, soldAtStart, office.find(eventId).sold(), lease.fencingToken());
    }
}
