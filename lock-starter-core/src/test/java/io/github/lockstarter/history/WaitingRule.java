package io.github.lockstarter.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Waiting ends in time; nobody waits for a lock that nobody has, or that goes to others again and again. */
final class WaitingRule implements Rule {

    /** With an orderly line it is as many as there are others; whenever a lease runs out, the line begins anew. */
    private static final int PASSED_OVER = 20;

    @Override
    public List<String> violations(History history, Limits limits) {
        Troubles troubles = new Troubles(history);
        Tenures tenures = new Tenures(history, limits, troubles);
        Map<String, List<Attempt>> grants = history.grants();
        List<String> violations = new ArrayList<>();
        for (Attempt each : history.attempts()) {
            long end = each.ended() != null
                    ? each.ended().at()
                    : Math.min(history.end(), troubles.killedAt(each.instance()));
            long late = end
                    - each.invoked().time()
                    - limits.command()
                    - limits.slack()
                    - troubles.stoodStill(each.instance(), each.invoked().at(), end);
            if (late > 0) {
                violations.add("A wait for '" + each.lock() + "' did not end in time: " + each.invoked()
                        + (each.ended() == null ? " has no end" : " ended with " + each.ended()));
            }
            long patience = limits.lease() + limits.command() + limits.slack();
            if (end - each.invoked().at() > patience) {
                Span free = tenures.longestFreeTimeDuring(each);
                if (free.to() - free.from() > patience) {
                    violations.add(
                            "Nobody had '" + each.lock() + "' from " + free.from() + " to " + free.to() + ", but "
                                    + each.invoked() + " did not get it then"
                                    + (each.ended() == null ? "" : ": " + each.ended()));
                }
                Attempt last = passedOver(each, end, grants.getOrDefault(each.lock(), List.of()), troubles);
                if (last != null) {
                    violations.add("A wait for '" + each.lock() + "' was passed over " + PASSED_OVER + " times: "
                            + each.invoked() + ", the last time by " + last.granted());
                }
            }
        }
        return violations;
    }

    /** The grant with which the lock has changed among others once too often; null: it has not. */
    private static Attempt passedOver(Attempt waiter, long end, List<Attempt> grants, Troubles troubles) {
        long since = troubles.calmFrom(waiter.instance(), waiter.invoked().at());
        String owner = waiter.instance();
        int count = 0;
        for (Attempt each : grants) {
            long at = each.granted().at();
            if (at > since && at < end) {
                boolean ours = each.instance().equals(waiter.instance());
                if (ours || troubles.touch(waiter.instance(), since, at)) {
                    since = Math.max(at, troubles.calmFrom(waiter.instance(), at));
                    count = 0;
                } else if (!each.instance().equals(owner) && ++count == PASSED_OVER) {
                    return each;
                }
                owner = each.instance();
            }
        }
        return null;
    }
}
