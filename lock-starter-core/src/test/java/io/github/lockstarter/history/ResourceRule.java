package io.github.lockstarter.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A resource that looks at tokens accepts no smaller one after a larger one, and loses no update: no two writes follow
 * the same one, for then the second has overwritten the first without having seen it.
 */
final class ResourceRule implements Rule {

    @Override
    public List<String> violations(History history, Limits limits) {
        List<String> violations = new ArrayList<>(lostUpdates(history, Register.FENCED));
        writesTo(history, Register.FENCED).forEach((lock, writes) -> {
            Event largest = null;
            for (Event write : writes) {
                if (largest != null && write.token() < largest.token()) {
                    violations.add("The fenced resource of '" + lock + "' accepted a smaller token after a larger one: "
                            + largest + ", then " + write);
                }
                largest = largest == null || write.token() > largest.token() ? write : largest;
            }
        });
        return violations;
    }

    /** Updates of one sort of resource that others have overwritten unseen. */
    static List<String> lostUpdates(History history, String resource) {
        List<String> violations = new ArrayList<>();
        writesTo(history, resource).forEach((lock, writes) -> {
            Map<String, Event> followers = new HashMap<>();
            for (Event write : writes) {
                Event other = followers.put(write.text(), write);
                if (other != null) {
                    violations.add("An update of the " + resource + " resource of '" + lock + "' is lost: " + other
                            + " was overwritten by " + write + ", which had not seen it");
                }
            }
        });
        return violations;
    }

    private static Map<String, List<Event>> writesTo(History history, String resource) {
        return history.events(EventKind.ACCEPTED)
                .filter(event -> Objects.equals(event.text().split(" ", 2)[0], resource))
                .sorted(Comparator.comparingLong(Event::time))
                .collect(Collectors.groupingBy(Event::lock));
    }
}
