package io.github.lockstarter.docstests.jobs;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;

/** The code of the manual, word for word. */
class AnnotatedReportJob {

    private final Reports reports;

    AnnotatedReportJob(Reports reports) {
        this.reports = reports;
    }

    @DistributedLock(name = "report", key = "#id")
    public boolean writeReport(String id) {
        Lease lease = LeaseContext.required();
        for (String chapter : reports.openChapters(id)) {
            if (lease.isReleaseRequested()) {
                reports.save(id, chapter);
                return false;
            }
            lease.ensureHeld();
            reports.write(chapter, lease.fencingToken());
        }
        return true;
    }
}
