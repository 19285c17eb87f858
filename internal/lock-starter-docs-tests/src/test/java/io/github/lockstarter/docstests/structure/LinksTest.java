package io.github.lockstarter.docstests.structure;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.docstests.markdown.Page;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinksTest {

    private static final Page OTHER = Page.of("docs/operations.md", "# Operations\n\n## 锁：丢失\n");

    private static Page linking(String target) {
        return Page.of("docs/reference/example.md", "# Example\n\nSee [there](" + target + ").\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../operations.md",
                "../operations.md#锁丢失",
                "#example",
                "../../pom.xml",
                "../../lock-starter-core",
                "https://redis.io/docs/",
                "http://127.0.0.1:8080/"
            })
    void shouldAccept(String target) {
        assertThat(problems(new Links(), linking(target), OTHER)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "operations.md",
                "../operations.md#lost",
                "#other",
                "../../../elsewhere",
                "http://redis.io/docs/",
                "https://example.invalid/"
            })
    void shouldReport(String target) {
        assertThat(problems(new Links(), linking(target), OTHER))
                .singleElement()
                .asString()
                .startsWith("3: ");
    }
}
