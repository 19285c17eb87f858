package io.github.lockstarter.testsupport.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The run of a fleet.
 *
 * @param plan what was run
 * @param troubles how many troubles there were
 * @param history what happened
 * @param leftovers the keys that were left after all leases must have ended
 */
public record FleetRun(FleetPlan plan, long troubles, History history, List<String> leftovers) {

    /** Returns what violates the rules, if a command may take the time of the plan. */
    public List<Violation> violations() {
        return violations(this.plan.timing().command());
    }

    /** Returns what violates the rules, if a command with all its repetitions may take that long. */
    public List<Violation> violations(Duration command) {
        List<Violation> violations = new ArrayList<>(HistoryChecker.violations(this.history, command));
        this.leftovers.forEach(key -> violations.add(new Violation(
                Rule.LEFTOVERS, "", this.history.end(), "The key " + key + " is left although no client is left")));
        return violations;
    }

    @Override
    public String toString() {
        Map<EventKind, Long> counts = new EnumMap<>(EventKind.class);
        this.history.events().forEach(event -> counts.merge(event.kind(), 1L, Long::sum));
        return "seed " + this.plan.seed() + ": " + this.troubles + " troubles, " + counts;
    }
}
