package io.github.lockstarter;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Health of the locks of one instance at one moment. Immutable.
 *
 * @param status whether locks can be acquired and kept
 * @param problem why the status is not {@code UP}, or {@code null} if it is
 * @param store description of the store and its connection
 * @param lastAnswer time since the last reply of the store that was no error, or {@code null} if there was none
 * @param held number of locks that are held
 * @param atRisk number of held locks whose renewal failed or is late
 * @param waiting number of acquisitions that wait
 * @param watchdogLag delay of the watchdog in checking leases
 * @param lost number of leases that were lost since the start
 * @param lastLoss the last lost lease, or {@code null} if no lease was lost
 * @param messages how waiters of other instances are notified, {@code script}, {@code client} or {@code polling},
 *     followed by the reason in parentheses; {@code null} if the store has no other instances
 */
public record LockHealth(
        Status status,
        @Nullable String problem,
        String store,
        @Nullable Duration lastAnswer,
        int held,
        int atRisk,
        int waiting,
        Duration watchdogLag,
        long lost,
        @Nullable Loss lastLoss,
        @Nullable String messages) {

    /** Whether locks can be acquired and kept. */
    public enum Status {
        /** The store answers, and the watchdog checks leases in time. */
        UP,
        /** The store does not answer, leases are not checked in time, or the registry does not run. */
        DOWN,
        /** The store has not replied to the first health check yet. */
        UNKNOWN
    }

    /**
     * A lease that was lost.
     *
     * @param lock static name of the lock, without its key, which may be personal data
     * @param reason why the lease was lost
     * @param at when the loss was detected
     */
    public record Loss(String lock, LossReason reason, Instant at) {}

    /** Returns the health of a registry that has not been started. */
    public static LockHealth notRunning(String store) {
        return new LockHealth(
                Status.DOWN, "The lock registry has not started.", store, null, 0, 0, 0, Duration.ZERO, 0, null, null);
    }

    /**
     * Returns all components except the status and those that are null, by name: texts, numbers, durations and times as
     * texts in the form of ISO 8601, and a map for the last loss.
     */
    public Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        if (this.problem != null) {
            details.put("problem", this.problem);
        }
        details.put("store", this.store);
        if (this.messages != null) {
            details.put("messages", this.messages);
        }
        if (this.lastAnswer != null) {
            details.put(
                    "lastAnswer", this.lastAnswer.truncatedTo(ChronoUnit.MILLIS).toString());
        }
        details.put("held", this.held);
        details.put("atRisk", this.atRisk);
        details.put("waiting", this.waiting);
        details.put(
                "watchdogLag", this.watchdogLag.truncatedTo(ChronoUnit.MILLIS).toString());
        details.put("lost", this.lost);
        if (this.lastLoss != null) {
            Map<String, Object> loss = new LinkedHashMap<>();
            loss.put("lock", this.lastLoss.lock());
            loss.put("reason", this.lastLoss.reason().name());
            loss.put("at", this.lastLoss.at().toString());
            details.put("lastLoss", loss);
        }
        return details;
    }
}
