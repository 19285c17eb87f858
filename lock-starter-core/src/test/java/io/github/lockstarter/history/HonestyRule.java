package io.github.lockstarter.history;

import java.util.List;

/** Who is told "not granted" has an owner to blame. */
final class HonestyRule implements Rule {

    @Override
    public List<String> violations(History history, Limits limits) {
        Tenures tenures = new Tenures(history, limits, new Troubles(history));
        return history.attempts().stream()
                .filter(each -> each.hasEndedWith(EventKind.NOT_GRANTED) && !tenures.someoneElseDuring(each))
                .map(each -> "Told that somebody else had '" + each.lock() + "', but nobody can have had it: "
                        + each.invoked() + ", " + each.ended())
                .toList();
    }
}
