package io.github.lockstarter.metrics;

import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.util.concurrent.atomic.AtomicBoolean;

/** Failures to record something: a warning at the first, lines at DEBUG from then on. Locks go on all the same. */
final class RecordingFailures {

    private final LockLog logger;

    private final String consequence;

    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Creates a log of failures.
     *
     * @param recorder whose they are
     * @param consequence what the first one means for those who look
     */
    RecordingFailures(Class<?> recorder, String consequence) {
        this.logger = LockLog.of(recorder);
        this.consequence = consequence;
    }

    /** Logs the failure; of the lock no more than its static name. */
    void add(String name, Throwable ex) {
        if (this.warned.compareAndSet(false, true)) {
            this.logger.warn(
                    this.consequence + ": recording failed for lock '" + LoggedNames.ofStatic(name)
                            + "'. Further failures are logged at DEBUG.",
                    ex);
        } else if (this.logger.isDebugEnabled()) {
            this.logger.debug("Recording failed for lock '" + LoggedNames.ofStatic(name) + "'.", ex);
        }
    }
}
