package io.github.lockstarter.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Nothing renews or asks for a lock under an id whose grants have all ended. */
final class SilenceRule implements Rule {

    /** The end of all grants of an id, as far as it is known. */
    private record End(Attempt last, long at) {}

    @Override
    public List<String> violations(History history, Limits limits) {
        Troubles troubles = new Troubles(history);
        Map<String, End> ends = ends(history);
        List<String> violations = new ArrayList<>();
        history.events(EventKind.COMMAND).forEach(event -> {
            String[] what = event.text().split(" ", 2);
            End end = what.length == 2 && !what[0].equals("release") ? ends.get(event.lock() + ' ' + what[1]) : null;
            if (end == null || end.at() == Long.MAX_VALUE) {
                return;
            }
            // on a bad way a command can come late, and twice
            if (event.at() - end.at() > limits.command() + limits.slack()
                    && !troubles.touch(end.last().instance(), end.at() - limits.command(), event.at())) {
                violations.add("A command for '" + event.lock() + "' after its end: " + end.last() + " ended at "
                        + endOf(end.last()) + ", and then came " + event);
            }
        });
        return violations;
    }

    private static Map<String, End> ends(History history) {
        Map<String, End> ends = new HashMap<>();
        for (Attempt each : history.attempts()) {
            if (each.isGranted() && each.id() != null) {
                Event last = endOf(each);
                End end = new End(each, last != null ? last.at() : Long.MAX_VALUE);
                ends.merge(each.lock() + ' ' + each.id(), end, (one, two) -> one.at() > two.at() ? one : two);
            }
        }
        return ends;
    }

    private static Event endOf(Attempt attempt) {
        return attempt.lost() != null ? attempt.lost() : attempt.released();
    }
}
