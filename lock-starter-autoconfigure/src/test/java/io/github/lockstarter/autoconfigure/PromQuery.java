package io.github.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an expression in PromQL asks for: enough of the language for a dashboard and for alerts.
 *
 * @param series every name that is neither a function nor a word of the language
 * @param matchers what it selects by
 * @param groupLabels what it groups by
 */
record PromQuery(Set<String> series, List<Matching> matchers, Set<String> groupLabels) {

    private static final Set<String> WORDS =
            Set.of("sum", "min", "max", "rate", "increase", "histogram_quantile", "max_over_time", "unless");

    private static final Pattern SELECTOR = Pattern.compile("(\\w+)\\s*\\{([^}]*)}");

    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

    private static final Pattern GROUPING = Pattern.compile("\\bby\\s*\\(([^)]*)\\)");

    private static final Pattern RANGE = Pattern.compile("\\[[^]]*]|\\boffset\\s+\\w+");

    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][\\w:]*");

    /** One condition of a selector; the value may have alternatives. */
    record Matching(String series, String label, String value) {

        /** What has to be there; empty where a variable of the dashboard or any text decides. */
        List<String> alternatives() {
            return this.value.startsWith("$") || this.value.endsWith(".*")
                    ? List.of()
                    : Arrays.asList(this.value.split("\\|"));
        }
    }

    static PromQuery parse(String expression) {
        List<Matching> matchers = new ArrayList<>();
        Matcher selector = SELECTOR.matcher(expression);
        while (selector.find()) {
            Matcher matcher = MATCHER.matcher(selector.group(2));
            while (matcher.find()) {
                matchers.add(new Matching(selector.group(1), matcher.group(1), matcher.group(3)));
            }
        }
        Set<String> groupLabels = new HashSet<>();
        Matcher grouping = GROUPING.matcher(expression);
        while (grouping.find()) {
            groupLabels.addAll(List.of(grouping.group(1).split("\\s*,\\s*")));
        }
        String rest = SELECTOR.matcher(expression).replaceAll("$1");
        rest = RANGE.matcher(GROUPING.matcher(rest).replaceAll(" ")).replaceAll(" ");
        Set<String> series = new LinkedHashSet<>();
        Matcher name = NAME.matcher(rest);
        while (name.find()) {
            if (!WORDS.contains(name.group())) {
                series.add(name.group());
            }
        }
        return new PromQuery(series, matchers, groupLabels);
    }
}
