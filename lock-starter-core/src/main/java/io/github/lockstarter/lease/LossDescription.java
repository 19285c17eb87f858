package io.github.lockstarter.lease;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.text.LoggedNames;

/** Puts a loss into words: what happened, and what to do about it. */
final class LossDescription {

    private LossDescription() {}

    static LockLostException of(LoggedNames names, Grant grant, LossReason reason) {
        return exception(names, grant, reason, "was lost: " + explain(reason));
    }

    static LockLostException tooShort(LoggedNames names, Grant grant, long remainingMillis, long wantedMillis) {
        return exception(
                names,
                grant,
                LossReason.EXPIRED,
                "has " + remainingMillis + " ms left, less than the " + wantedMillis + " ms that were asked for.");
    }

    private static LockLostException exception(LoggedNames names, Grant grant, LossReason reason, String what) {
        String message =
                "Lock '" + names.of(grant.lockName()) + "' (fencing token " + grant.fencingToken() + ") " + what;
        return new LockLostException(message, grant.lockName(), grant.fencingToken(), reason);
    }

    private static String explain(LossReason reason) {
        return switch (reason) {
            case EXPIRED ->
                "its lease ran out. Renewals failed until the deadline, or a fixed lease was too short for"
                        + " the work: ask for a longer one, or for a renewed one (-1).";
            case TAKEN_OVER ->
                "another acquisition owns it. It ran out in the store before our clocks said so, or was"
                        + " unlocked by force.";
            case DELETED ->
                "nobody owns it in the store. It was unlocked by force, deleted, evicted or lost in a"
                        + " failover: check the store's eviction policy and persistence.";
            case MAX_HOLD ->
                "it was held longer than its maxHold allows. Find out why the work takes so long, or raise"
                        + " maxHold.";
            case OWNER_DIED -> "the thread that held it ended without releasing it.";
            case SHUTDOWN ->
                "the application stopped before the work under it had ended. Raise"
                        + " distributed-lock.shutdown-timeout if it should have waited longer.";
        };
    }
}
