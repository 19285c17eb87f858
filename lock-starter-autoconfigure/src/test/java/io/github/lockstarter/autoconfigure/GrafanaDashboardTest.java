package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.github.lockstarter.DistributedLock;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/**
 * Dashboard and alerts ask for what applications really show: a meter, tag or outcome that is renamed is missed here.
 */
class GrafanaDashboardTest {

    private static final Path ROOT = Path.of("..");

    /** The settings for percentiles, as the description of a panel states them. */
    private static final String HISTOGRAM =
            "management.metrics.distribution.percentiles-histogram.distributed.lock.acquire=true";

    /** The meters of lock-starter-jdbc and lock-starter-leader, which this module does not have. */
    private static final Pattern OF_EXTENSIONS = Pattern.compile("distributed_lock_(fence|leader)");

    private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

    private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)");

    private static DocumentContext dashboard;

    private static Scrape scrape;

    @BeforeAll
    static void readBoth() throws IOException {
        dashboard = JsonPath.parse(Files.readString(ROOT.resolve("docs/grafana/distributed-locks.json")));
        TestContexts.application()
                .withPropertyValues(
                        "distributed-lock.store=memory",
                        "management.defaults.metrics.export.enabled=false",
                        "management.prometheus.metrics.export.enabled=true",
                        HISTOGRAM)
                .withBean(Orders.class)
                .run(context -> {
                    context.getBean(Orders.class).ship("42");
                    scrape = new Scrape(
                            context.getBean(PrometheusMeterRegistry.class).scrape());
                });
    }

    @Test
    void shouldAskForSeriesAndLabelsThatThereAre() throws IOException {
        assertThat(expressions()).hasSizeGreaterThan(20).allSatisfy(expression -> {
            assertAsksForWhatThereIs(expression);
            assertThat(PromQuery.parse(expression).matchers()).as(expression).isNotEmpty();
        });
        assertThat(expressionsOfAlerts())
                .hasSizeGreaterThan(5)
                .allSatisfy(GrafanaDashboardTest::assertAsksForWhatThereIs);
    }

    private static void assertAsksForWhatThereIs(String expression) {
        PromQuery query = PromQuery.parse(expression);
        assertThat(query.series()).as(expression).isNotEmpty().isSubsetOf(scrape.series());
        query.series()
                .forEach(series ->
                        assertThat(scrape.labels(series)).as(expression).containsAll(query.groupLabels()));
        assertThat(query.matchers()).as(expression).allSatisfy(matcher -> {
            assertThat(scrape.labels(matcher.series())).contains(matcher.label());
            assertThat(scrape.values(matcher.series(), matcher.label())).containsAll(matcher.alternatives());
        });
    }

    @Test
    void shouldShowEveryMeterOfTheManualAndNoOther() throws IOException {
        List<String> meters = metersOfTheManual();
        Set<String> shown = new TreeSet<>();

        // The manual describes the timer of lock-starter-jdbc outside of its tables.
        allExpressions().stream()
                .filter(expression -> !expression.contains("distributed_lock_fence"))
                .flatMap(expression -> PromQuery.parse(expression).series().stream())
                .forEach(series -> shown.add(meterOf(series, meters)));

        assertThat(meters).hasSizeGreaterThanOrEqualTo(10);
        assertThat(shown).containsExactlyInAnyOrderElementsOf(meters);
    }

    @Test
    void shouldNameItsLinesByLabelsThatAreLeft() {
        List<Map<String, String>> targets = dashboard.read("$.panels[*].targets[*]");

        assertThat(targets).allSatisfy(target -> {
            Set<String> groupLabels = PromQuery.parse(target.get("expr")).groupLabels();
            assertThat(names(LEGEND, target.get("legendFormat")))
                    .isEqualTo(groupLabels.stream()
                            .filter(label -> !label.equals("le"))
                            .collect(Collectors.toSet()));
        });
    }

    @Test
    void shouldUseTheVariablesThatItHas() {
        List<String> known = dashboard.read("$.templating.list[*].name");
        Set<String> used = new TreeSet<>();
        Stream.concat(expressions().stream(), definitions().stream())
                .forEach(expression -> used.addAll(names(VARIABLE, expression)));
        used.removeIf(name -> name.startsWith("__"));

        used.add("datasource");
        assertThat(used).containsExactlyInAnyOrderElementsOf(known);
        assertThat(dashboard.<List<String>>read("$.panels[?(@.type != 'row')].datasource.uid"))
                .containsOnly("${datasource}");
        assertThat(definitions()).hasSize(4).allSatisfy(definition -> {
            Matcher values = Pattern.compile("label_values\\((\\w+)(?:\\{.*})?, (\\w+)\\)")
                    .matcher(definition);
            assertThat(values.matches()).as(definition).isTrue();
            assertThat(scrape.series()).contains(values.group(1));
            assertThat(scrape.labels(values.group(1))).as(definition).contains(values.group(2));
        });
        // Grafana shows the one and runs the other.
        assertThat(dashboard.<List<String>>read("$.templating.list[?(@.type == 'query')].definition"))
                .isEqualTo(definitions());
    }

    @Test
    void shouldSayWhatEachPanelShowsAndPutNoneOnAnother() {
        List<Map<String, Object>> panels = dashboard.read("$.panels[*]");
        Set<String> taken = new TreeSet<>();

        assertThat(panels).extracting(panel -> panel.get("id")).doesNotHaveDuplicates();
        assertThat(panels).allSatisfy(panel -> {
            String title = (String) panel.get("title");
            if (!panel.get("type").equals("row")) {
                assertThat((String) panel.get("description")).as(title).endsWith(".");
            }
            cells(panel).forEach(cell -> assertThat(taken.add(cell)).as(title).isTrue());
        });
        assertThat(dashboard.<List<String>>read("$.panels[?(@.title == 'Wait')].description"))
                .singleElement()
                .asString()
                .contains(HISTOGRAM);
    }

    private static List<String> allExpressions() {
        return dashboard.read("$.panels[*].targets[*].expr");
    }

    private static List<String> expressions() {
        return allExpressions().stream()
                .filter(expression -> !OF_EXTENSIONS.matcher(expression).find())
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static List<String> expressionsOfAlerts() throws IOException {
        Map<String, List<Map<String, Object>>> rules =
                new Yaml().load(Files.readString(ROOT.resolve("docs/prometheus/alerts.yml")));
        return rules.get("groups").stream()
                .flatMap(group -> ((List<Map<String, String>>) group.get("rules")).stream())
                .map(rule -> rule.get("expr"))
                .filter(expression -> !OF_EXTENSIONS.matcher(expression).find())
                .toList();
    }

    private static List<String> definitions() {
        return dashboard.read("$.templating.list[?(@.type == 'query')].query.query");
    }

    private static Set<String> names(Pattern pattern, String text) {
        Set<String> names = new TreeSet<>();
        Matcher found = pattern.matcher(text);
        while (found.find()) {
            names.add(found.group(1));
        }
        return names;
    }

    @SuppressWarnings("unchecked")
    private static List<String> cells(Map<String, Object> panel) {
        Map<String, Integer> place = (Map<String, Integer>) panel.get("gridPos");
        List<String> cells = new ArrayList<>();
        for (int x = place.get("x"); x < place.get("x") + place.get("w"); x++) {
            assertThat(x).isLessThan(24);
            for (int y = place.get("y"); y < place.get("y") + place.get("h"); y++) {
                cells.add(x + "/" + y);
            }
        }
        return cells;
    }

    /** The first column of the table, in which a name that begins with a dot stands for its last part. */
    private static List<String> metersOfTheManual() throws IOException {
        List<String> meters = new ArrayList<>();
        for (String line : Files.readAllLines(ROOT.resolve("docs/reference/observability.md"))) {
            // Keys of observations have a cardinality.
            if (line.startsWith("| `distributed.lock.") && !line.contains("| high |") && !line.contains("| low |")) {
                names(Pattern.compile("`([a-z.]+)`"), line.substring(0, line.indexOf('|', 1))).stream()
                        .map(name -> name.startsWith(".") ? "distributed.lock" + name : name)
                        .forEach(meters::add);
            }
        }
        return meters;
    }

    private static String meterOf(String series, List<String> meters) {
        return meters.stream()
                .filter(meter ->
                        (series + "_").startsWith(meter.replace('.', '_').replace('-', '_') + "_"))
                .max(Comparator.comparing(String::length))
                .orElse("none of the manual: " + series);
    }

    static class Orders {

        @DistributedLock(key = "#id")
        public void ship(String id) {}
    }
}
