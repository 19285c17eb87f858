package io.github.lockstarter.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Whoever loses a lock is told before somebody else has it, or as soon as it can hear again if it stood still; and who
 * was told does not see it held afterwards.
 */
final class NoticeRule implements Rule {

    @Override
    public List<String> violations(History history, Limits limits) {
        Troubles troubles = new Troubles(history);
        List<String> violations = new ArrayList<>();
        for (Attempt each : history.attempts()) {
            if (each.lost() != null && each.lastSeenHeld() > each.lost().at()) {
                violations.add("Held after the notice of its loss: " + each + " was told at " + each.lost()
                        + ", and saw it held at " + each.lastSeenHeld());
            }
        }
        history.beliefs().forEach((lock, grants) -> {
            for (int i = 0; i + 1 < grants.size(); i++) {
                Attempt owner = grants.get(i);
                Attempt next = grants.get(i + 1);
                if (isLate(owner, next, history, limits, troubles)) {
                    violations.add(
                            "Not told in time that '" + lock + "' is lost: " + owner + " since " + owner.granted()
                                    + (owner.lost() == null ? " was never told" : " was told at " + owner.lost())
                                    + ", but " + next
                                    + " had it at " + next.granted());
                }
            }
        });
        return violations;
    }

    private static boolean isLate(Attempt owner, Attempt next, History history, Limits limits, Troubles troubles) {
        long taken = next.granted().at();
        if (owner.release() != null && owner.release().at() <= taken) {
            return false;
        }
        long told = owner.lost() != null ? owner.lost().at() : Long.MAX_VALUE;
        if (owner.release() != null) {
            // who releases a lost lease is told then
            told = Math.min(told, owner.release().at());
        }
        long until = Math.min(history.end(), troubles.killedAt(owner.instance()));
        if (told == Long.MAX_VALUE && until - taken < limits.slack()) {
            return false;
        }
        long stoodStill = troubles.stoodStill(owner.instance(), owner.granted().at(), Math.min(told, until));
        return told - limits.slack() - stoodStill > taken;
    }
}
