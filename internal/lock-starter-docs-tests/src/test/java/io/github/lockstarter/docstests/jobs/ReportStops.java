package io.github.lockstarter.docstests.jobs;

import io.github.lockstarter.LockReleaseRequestedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** The code of the manual, word for word. */
@Component
class ReportStops {

    private final Workers workers;

    ReportStops(Workers workers) {
        this.workers = workers;
    }

    @EventListener
    void asked(LockReleaseRequestedEvent event) {
        this.workers.stopAfterThisStep(event.lockName());
    }
}
