package io.github.lockstarter.store.redis.confirm;

import io.github.lockstarter.text.LockLog;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Logs when a master begins to have too few replicas, and when it has enough again: one WARN and one INFO, however long
 * it lasts. Thread-safe.
 */
final class ShortageLog {

    private static final LockLog logger = LockLog.of(ShortageLog.class);

    private final String master;

    private final Acknowledgements acknowledgements;

    private final AtomicBoolean warned = new AtomicBoolean();

    /**
     * Creates a log without a shortage.
     *
     * @param master the master as messages name it, without credentials
     */
    ShortageLog(String master, Acknowledgements acknowledgements) {
        this.master = master;
        this.acknowledgements = acknowledgements;
    }

    /** Records the result of a {@code WAIT}. */
    void acknowledged(long replicas) {
        if (!this.acknowledgements.areEnough(replicas)) {
            if (this.warned.compareAndSet(false, true)) {
                logger.warn(this.master + " has too few replicas, so that it grants and renews no locks: "
                        + this.acknowledgements.shortage(replicas));
            }
        } else if (this.warned.get() && this.warned.compareAndSet(true, false)) {
            logger.info(this.master + " has enough replicas again for " + Acknowledgements.PROPERTY + '='
                    + this.acknowledgements.required() + '.');
        }
    }
}
