package io.github.lockstarter.autoconfigure;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What Prometheus gets to see of an application: the values of each label of each series. */
final class Scrape {

    /** Prometheus itself adds these to whatever it reads. */
    private static final Set<String> OF_THE_TARGET = Set.of("job", "instance");

    private static final Pattern LINE = Pattern.compile("(\\w+)(?:\\{(.*)})? \\S+");

    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    private final Map<String, Map<String, Set<String>>> series = new TreeMap<>();

    Scrape(String text) {
        text.lines().filter(line -> !line.startsWith("#")).forEach(this::add);
    }

    private void add(String line) {
        Matcher sample = LINE.matcher(line);
        if (sample.matches()) {
            Map<String, Set<String>> labels = this.series.computeIfAbsent(sample.group(1), absent -> new TreeMap<>());
            Matcher label = LABEL.matcher(sample.group(2) != null ? sample.group(2) : "");
            while (label.find()) {
                labels.computeIfAbsent(label.group(1), absent -> new TreeSet<>())
                        .add(label.group(2));
            }
        }
    }

    Set<String> series() {
        return this.series.keySet();
    }

    Set<String> labels(String name) {
        Set<String> labels = new TreeSet<>(OF_THE_TARGET);
        labels.addAll(this.series.getOrDefault(name, Map.of()).keySet());
        return labels;
    }

    Set<String> values(String name, String label) {
        return this.series.getOrDefault(name, Map.of()).getOrDefault(label, Set.of());
    }
}
