package io.github.lockstarter.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Says what in a history must not be. Looks at events alone: it knows nothing of how a lock works.
 *
 * <p>As a program: {@code HistoryChecker [lease=1000] [command=250] [poll=150] [slack=2000] file...}, times in
 * milliseconds. Prints the violations, and exits with 1 if there are any.
 */
public final class HistoryChecker {

    private static final Map<String, Rule> RULES = rules();

    private HistoryChecker() {}

    private static Map<String, Rule> rules() {
        Map<String, Rule> rules = new LinkedHashMap<>();
        rules.put("belief", new BeliefRule());
        rules.put("tokens", new TokenRule());
        rules.put("resource", new ResourceRule());
        rules.put("notice", new NoticeRule());
        rules.put("waiting", new WaitingRule());
        rules.put("silence", new SilenceRule());
        rules.put("honesty", new HonestyRule());
        return rules;
    }

    /** What contradicts the rules, each with the name of its rule before it. */
    static List<String> violations(History history, Limits limits) {
        List<String> violations = new ArrayList<>();
        RULES.forEach((name, rule) ->
                rule.violations(history, limits).forEach(violation -> violations.add(name + ": " + violation)));
        return violations;
    }

    public static void main(String[] arguments) {
        Map<String, Long> times =
                new LinkedHashMap<>(Map.of("lease", 1000L, "command", 250L, "poll", 150L, "slack", 2000L));
        List<Path> files = new ArrayList<>();
        for (String argument : arguments) {
            String[] setting = argument.split("=", 2);
            if (setting.length == 2 && times.containsKey(setting[0])) {
                times.put(setting[0], Long.valueOf(setting[1]));
            } else {
                files.add(Path.of(argument));
            }
        }
        if (files.isEmpty()) {
            System.err.println("usage: HistoryChecker [lease=ms] [command=ms] [poll=ms] [slack=ms] file...");
            System.exit(2);
        }
        History history = History.read(files);
        List<String> violations = violations(
                history,
                Limits.of(
                        millis(times, "lease"),
                        millis(times, "command"),
                        millis(times, "poll"),
                        millis(times, "slack")));
        violations.forEach(System.out::println);
        System.out.println(
                history.events().size() + " events, " + history.attempts().size() + " attempts, "
                        + history.count(EventKind.GRANTED) + " grants, " + violations.size() + " violations");
        System.exit(violations.isEmpty() ? 0 : 1);
    }

    private static Duration millis(Map<String, Long> times, String name) {
        return Duration.ofMillis(times.get(name));
    }
}
