package io.github.lockstarter.engine;

import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Logs what the owner of a lease should know: WARN when the lease is at risk, ERROR when it is lost. */
final class LoggingLockListener implements LockListener {

    private static final LockLog logger = LockLog.of(LoggingLockListener.class);

    private static final int MOST_NAMES = 200;

    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Static names with the time of their last WARN: an outage logs one line a minute for the many keys of a name. */
    private final Map<String, Long> warned = new ConcurrentHashMap<>();

    private final LongSupplier nanoTime;

    private final LoggedNames names;

    LoggingLockListener(LongSupplier nanoTime, LoggedNames names) {
        this.nanoTime = nanoTime;
        this.names = names;
    }

    @Override
    public void atRisk(LockAtRiskEvent event) {
        String message = "Lock '" + this.names.of(event.lockName()) + "' (fencing token " + event.fencingToken()
                + ") is at risk: its renewal " + (event.cause() != null ? "failed" : "is late") + "; lost in "
                + event.remaining().toMillis() + " ms unless one succeeds"
                + (event.cause() != null ? ": " + event.cause().getMessage() : ".");
        if (isNews(event.name())) {
            logger.warn(message + " Further locks '" + LoggedNames.ofStatic(event.name())
                    + "' are logged at DEBUG for a minute.");
        } else {
            logger.debug(message);
        }
    }

    private boolean isNews(String name) {
        long now = this.nanoTime.getAsLong();
        this.warned.values().removeIf(warnedAt -> now - warnedAt >= QUIET_NANOS);
        return this.warned.size() < MOST_NAMES && this.warned.putIfAbsent(name, now) == null;
    }

    @Override
    public void recovered(LockRecoveredEvent event) {
        if (this.warned.remove(event.name()) != null) {
            logger.info("Lock '" + this.names.of(event.lockName()) + "' (fencing token " + event.fencingToken()
                    + ") is safe again: renewed.");
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
