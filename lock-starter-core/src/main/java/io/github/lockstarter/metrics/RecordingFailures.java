package io.github.lockstarter.metrics;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** Failures to record something: a warning at the first, lines at DEBUG from then on. Locks go on all the same. */
final class RecordingFailures {

    private final Log logger;

    private final String consequence;

    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Creates a log of failures.
     *
     * @param recorder whose they are
     * @param consequence what the first one means for those who look
     */
    RecordingFailures(Class<?> recorder, String consequence) {
        this.logger = LogFactory.getLog(recorder);
        this.consequence = consequence;
    }

    void add(Object what, Throwable ex) {
        if (this.warned.compareAndSet(false, true)) {
            this.logger.warn(this.consequence + "; further failures are logged at DEBUG: " + what, ex);
        } else if (this.logger.isDebugEnabled()) {
            this.logger.debug("Not recorded: " + what, ex);
        }
    }
}
