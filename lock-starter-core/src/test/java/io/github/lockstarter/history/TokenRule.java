package io.github.lockstarter.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Each grant of a lock has a token of its own, larger than those of all grants that were known before it was asked for. */
final class TokenRule implements Rule {

    @Override
    public List<String> violations(History history, Limits limits) {
        List<String> violations = new ArrayList<>();
        history.grants().forEach((lock, grants) -> {
            same(lock, grants, violations);
            smaller(lock, grants, violations);
        });
        return violations;
    }

    private static void same(String lock, List<Attempt> grants, List<String> violations) {
        Map<Long, Attempt> owners = new HashMap<>();
        for (Attempt each : grants) {
            Attempt other = owners.put(each.token(), each);
            if (other != null) {
                violations.add(
                        "The same token of '" + lock + "' for two: " + other.granted() + " and " + each.granted());
            }
        }
    }

    private static void smaller(String lock, List<Attempt> grants, List<String> violations) {
        List<Attempt> asked = grants.stream()
                .sorted(Comparator.comparingLong(attempt -> attempt.invoked().at()))
                .toList();
        Attempt largest = null;
        int known = 0;
        for (Attempt each : asked) {
            while (known < grants.size()
                    && grants.get(known).granted().at() < each.invoked().at()) {
                Attempt before = grants.get(known++);
                largest = largest == null || before.token() > largest.token() ? before : largest;
            }
            if (largest != null && each.token() < largest.token()) {
                violations.add("A token of '" + lock + "' is smaller than one before: " + largest.granted() + ", then "
                        + each.invoked() + " and " + each.granted());
            }
        }
    }
}
