package io.github.lockstarter.metrics;

import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.util.concurrent.atomic.AtomicBoolean;

/** Logs failures to record meters or observations: the first one at WARN, later ones at DEBUG. Thread-safe. */
final class RecordingFailures {

    private final LockLog logger;

    private final String consequence;

    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Creates a log of failures.
     *
     * @param recorder class whose logger is used
     * @param consequence beginning of the warning, such as "Meters of locks are incomplete"
     */
    RecordingFailures(Class<?> recorder, String consequence) {
        this.logger = LockLog.of(recorder);
        this.consequence = consequence;
    }

    /** Logs the failure with the static name of the lock, but not its key. */
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
