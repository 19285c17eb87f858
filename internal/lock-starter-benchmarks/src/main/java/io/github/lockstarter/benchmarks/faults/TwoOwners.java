package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.Attempt;
import io.github.lockstarter.testsupport.history.EventKind;
import io.github.lockstarter.testsupport.history.History;
import io.github.lockstarter.testsupport.history.Trouble;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Two owners of a lock at the same time. An owner is one from the return of the call that acquired the lock until it
 * begins to release it, is notified of its loss by the library, or its process is killed.
 *
 * @param first the name of the attempt of the owner that had the lock
 * @param next the name of the attempt that was granted although there was an owner
 * @param trouble the trouble that is the reason: the pause of the first owner, if its process stood still when the second
 *     one had the lock; or else a loss of data between both grants, or else the last trouble that began before the
 *     second grant; if the first owner had met another owner already, the trouble of that pair
 * @param bothRan nanoseconds in which both were owners and neither process stood still
 */
record TwoOwners(String first, String next, Optional<Trouble> trouble, long bothRan) {

    /**
     * Returns the pairs of a history: each grant with the owner before it that stays longest, if it is still one.
     *
     * @param reply the time for which a reply of Redis may be under way
     */
    static List<TwoOwners> in(History history, Duration reply) {
        List<TwoOwners> pairs = new ArrayList<>();
        Map<String, Optional<Trouble>> reasons = new HashMap<>();
        for (List<Attempt> grants : history.grants().values()) {
            Attempt longest = grants.get(0);
            for (Attempt next : grants.subList(1, grants.size())) {
                if (end(history, longest) > next.granted().at()) {
                    Optional<Trouble> reason = reasons.containsKey(longest.name())
                            ? reasons.get(longest.name())
                            : reason(history, reply, longest, next);
                    reasons.put(longest.name(), reason);
                    reasons.put(next.name(), reason);
                    pairs.add(new TwoOwners(longest.name(), next.name(), reason, bothRan(history, longest, next)));
                }
                longest = end(history, next) > end(history, longest) ? next : longest;
            }
        }
        return pairs;
    }

    private static long end(History history, Attempt owner) {
        return Math.min(Math.min(owner.endOfWork(), history.end()), history.killedAt(owner.instance()));
    }

    private static long bothRan(History history, Attempt owner, Attempt next) {
        long from = next.granted().at();
        long to = Math.min(end(history, owner), end(history, next));
        long stoodStill =
                history.stoodStill(owner.instance(), from, to) + history.stoodStill(next.instance(), from, to);
        return Math.max(0, to - from - stoodStill);
    }

    private static Optional<Trouble> reason(History history, Duration reply, Attempt owner, Attempt next) {
        long taken = next.granted().at();
        List<Trouble> before = history.events(EventKind.FAULT)
                .filter(fault -> fault.at() < taken)
                .map(DataLoss::troubleOf)
                .toList();
        // Whatever else happens, an owner that stands still notices nothing.
        Optional<Trouble> pause = history.stoodStill(owner.instance(), taken - 1, taken) > 0
                ? last(before, trouble -> trouble.name().startsWith("PROCESS_STOPPED"))
                : Optional.empty();
        return pause.or(() -> DataLoss.in(history).stream()
                        .filter(loss -> loss.isBetween(owner, reply, taken))
                        .map(DataLoss::trouble)
                        .findFirst())
                .or(() -> last(before, trouble -> true));
    }

    private static Optional<Trouble> last(List<Trouble> troubles, Predicate<Trouble> kind) {
        return troubles.stream().filter(kind).reduce((earlier, later) -> later);
    }
}
