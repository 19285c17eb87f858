package io.github.lockstarter.history;

import java.util.ArrayList;
import java.util.List;

/** No two owners ever believe in the same lock at the same time. */
final class BeliefRule implements Rule {

    @Override
    public List<String> violations(History history, Limits limits) {
        List<String> violations = new ArrayList<>();
        history.beliefs().forEach((lock, grants) -> {
            Attempt longest = null;
            for (Attempt each : grants) {
                if (longest != null && longest.endOfBelief() > each.granted().at()) {
                    violations.add("Two owners of '" + lock + "': " + longest + " since " + longest.granted()
                            + " could believe in it until " + longest.endOfBelief() + ", but " + each + " had it at "
                            + each.granted());
                }
                longest = longest == null || each.endOfBelief() > longest.endOfBelief() ? each : longest;
            }
        });
        return violations;
    }
}
