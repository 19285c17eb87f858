package io.github.lockstarter.docstests.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.lockstarter.docstests.Manual;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

/** The rules for Prometheus are valid, fire for the series of {@code alerts.test.yml}, and are those of the manual. */
class AlertRulesTest {

    private static final Path FOLDER = Manual.projectRoot().resolve("docs/prometheus");

    @ParameterizedTest
    @CsvSource({"check, alerts.yml", "test, alerts.test.yml"})
    void shouldPassThePromtool(String command, String file) throws Exception {
        Process promtool = new ProcessBuilder(promtool(), command, "rules", file)
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(promtool.waitFor()).as(output).isZero();
    }

    @Test
    void shouldBeDescribedByTheManual() throws IOException {
        String page = withSingleSpaces(Files.readString(Manual.projectRoot().resolve("docs/operations.md")));

        assertThat(rules()).hasSizeGreaterThan(5).allSatisfy(rule -> {
            String name = (String) Objects.requireNonNull(rule.get("alert"));
            Object delay = rule.getOrDefault("for", "–");
            Map<?, ?> labels = (Map<?, ?>) Objects.requireNonNull(rule.get("labels"));
            assertThat(page)
                    .containsPattern("\\| " + name + " \\| " + labels.get("severity") + "[^|]* \\| " + delay + " \\|");
            assertThat(page)
                    .as(name)
                    .contains(
                            "```promql " + withSingleSpaces((String) Objects.requireNonNull(rule.get("expr"))) + "```");
        });
        assertThat(page.split("```promql ", -1)).hasSize(rules().size() + 1);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rules() throws IOException {
        Map<String, List<Map<String, Object>>> file = new Yaml().load(Files.readString(FOLDER.resolve("alerts.yml")));
        return Objects.requireNonNull(file.get("groups")).stream()
                .flatMap(group -> ((List<Map<String, Object>>) Objects.requireNonNull(group.get("rules"))).stream())
                .toList();
    }

    private static String withSingleSpaces(String text) {
        return text.replaceAll("\\s+", " ");
    }

    private static String promtool() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(path.split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, "promtool"))
                .filter(Files::isExecutable)
                .findFirst()
                .map(Path::toString)
                .orElseGet(() -> {
                    String reason =
                            "SKIPPED: the rules for alerts are not tested, since there is no promtool on the PATH"
                                    + " (Debian: package prometheus).";
                    System.out.println(reason);
                    return abort(reason);
                });
    }
}
