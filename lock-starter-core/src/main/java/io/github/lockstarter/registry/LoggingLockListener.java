package io.github.lockstarter.registry;

import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockReleaseRequestedEvent;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Logs events that concern the owner of a lease: WARN when the lease is at risk, ERROR when it is lost. */
final class LoggingLockListener implements LockListener {

    private static final LockLog logger = LockLog.of(LoggingLockListener.class);

    private final LineLimit limit;

    /** Static names for which a WARN was logged without a later recovery. The limit of lines bounds their number. */
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    private final LoggedNames names;

    LoggingLockListener(LineLimit limit, LoggedNames names) {
        this.limit = limit;
        this.names = names;
    }

    @Override
    public void atRisk(LockAtRiskEvent event) {
        String message = "Lock '" + this.names.of(event.lockName()) + "' (fencing token " + event.fencingToken()
                + ") is at risk: its renewal " + (event.cause() != null ? "failed" : "is late") + "; lost in "
                + event.remaining().toMillis() + " ms unless one succeeds"
                + (event.cause() != null ? ": " + event.cause().getMessage() : ".");
        if (this.limit.allows("at risk", event.name())) {
            this.warned.add(event.name());
            logger.warn(message + " Further locks '" + LoggedNames.ofStatic(event.name())
                    + "' are logged at DEBUG for a minute.");
        } else {
            logger.debug(message);
        }
    }

    @Override
    public void recovered(LockRecoveredEvent event) {
        if (this.warned.remove(event.name())) {
            logger.info("Lock '" + this.names.of(event.lockName()) + "' (fencing token " + event.fencingToken()
                    + ") is safe again: renewed.");
        }
    }

    @Override
    public void releaseRequested(LockReleaseRequestedEvent event) {
        String message = "The owner of lock '" + this.names.of(event.lockName()) + "' (fencing token "
                + event.fencingToken() + ") is asked to release it, after "
                + event.heldFor().toMillis() + " ms.";
        if (this.limit.allows("release requested", event.name())) {
            logger.info(message);
        } else {
            logger.debug(message);
        }
    }

    @Override
    public void lost(LockLostEvent event) {
        this.warned.remove(event.name());
        logger.error("Lock '" + this.names.of(event.lockName()) + "' (fencing token " + event.fencingToken()
                + ") is LOST after "
                + event.heldFor().toMillis() + " ms: " + event.reason()
                + ". Its work may run at the same time as that of another owner.");
    }
}
