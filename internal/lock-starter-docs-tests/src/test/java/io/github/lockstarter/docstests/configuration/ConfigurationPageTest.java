package io.github.lockstarter.docstests.configuration;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.docstests.markdown.Page;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ConfigurationPageTest {

    private static final String HEADER = "| `distributed-lock.` | Default | |\n|---|---|---|\n";

    private final ConfigurationPage check = new ConfigurationPage();

    private static String complete() {
        return Metadata.get().ours().stream()
                .map(property -> "| `" + property.name() + "` | `" + property.defaultValue() + "` | some |")
                .collect(Collectors.joining("\n", HEADER, "\n"));
    }

    private static Page page(String text) {
        return Page.of("docs/reference/configuration.md", text);
    }

    @Test
    void shouldAcceptAllProperties() {
        assertThat(problems(this.check, page(complete()))).isEmpty();
        assertThat(Metadata.get().ours())
                .extracting(Metadata.Property::name)
                .contains(
                        "distributed-lock.wait-time",
                        "distributed-lock.locks.<name>.max-hold",
                        "management.endpoint.locks.access")
                .doesNotContain("distributed-lock.locks");
    }

    @Test
    void shouldAcceptNamesBelowTheirPrefix() {
        assertThat(problems(this.check, page(complete().replace("| `distributed-lock.w", "| `w"))))
                .isEmpty();
    }

    @Test
    void shouldAcceptATableOfTheSettingsOfOneLock() {
        String page = complete().replaceAll("(?m)^\\| `distributed-lock.locks.*\n", "")
                + "| `distributed-lock.locks` | none | names |\n\n| Setting | Meaning |\n|---|---|\n"
                + Metadata.settingsOfOneLock().stream()
                        .map(name -> "| `" + name + "` | some |\n")
                        .collect(Collectors.joining());

        assertThat(problems(this.check, page(page))).isEmpty();
        assertThat(problems(this.check, page(page.replace("| `min-hold`", "| `min-hld`"))))
                .hasSize(2);
    }

    @Test
    void shouldAcceptADifferenceToTheLargestNumber() {
        assertThat(problems(this.check, page(complete().replace("2147483547", "Integer.MAX_VALUE - 100"))))
                .isEmpty();
    }

    @Test
    void shouldReportWhatIsMissingSurplusOrDifferent() {
        String page = complete()
                        .replace(
                                "| `distributed-lock.wait-time` | `10s` | some |",
                                "| `distributed-lock.wait-time` | `11s` | |")
                        .replace(
                                "| `distributed-lock.key-prefix` | `lock` | some |",
                                "| `distributed-lock.kye-prefix` | `lock` | some |")
                + "| `distributed-lock.store` | `redis` | again |\n";

        assertThat(problems(this.check, page(page)))
                .hasSize(5)
                .anySatisfy(problem -> assertThat(problem).contains("key-prefix"))
                .anySatisfy(problem -> assertThat(problem).contains("kye-prefix"))
                .anySatisfy(problem -> assertThat(problem).contains("10s"))
                .anySatisfy(problem -> assertThat(problem).contains("no description"))
                .anySatisfy(problem -> assertThat(problem).contains("store is also in line"));
    }
}
