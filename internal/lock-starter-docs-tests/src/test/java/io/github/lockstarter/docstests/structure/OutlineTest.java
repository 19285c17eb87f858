package io.github.lockstarter.docstests.structure;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.docstests.markdown.Page;
import org.junit.jupiter.api.Test;

class OutlineTest {

    private final Outline check = new Outline();

    private static final Page INDEX = Page.of("docs/README.md", "# Manual\n\n[Locks](reference/locks.md)\n");

    @Test
    void shouldAcceptAPageOfTheIndex() {
        assertThat(problems(this.check, INDEX, Page.of("docs/reference/locks.md", "# Locks\n")))
                .isEmpty();
    }

    @Test
    void shouldReportAPageOutsideOfTheIndex() {
        assertThat(problems(this.check, INDEX, Page.of("docs/migration/a.md", "# A\n")))
                .hasSize(1);
    }

    @Test
    void shouldReportTitles() {
        assertThat(problems(this.check, Page.of("README.md", "Locks\n"))).hasSize(1);
        assertThat(problems(this.check, Page.of("README.md", "# Locks\n\n# More\n")))
                .hasSize(1);
    }

    @Test
    void shouldReportALongReadme() {
        assertThat(problems(this.check, Page.of("README.md", "# Locks\n" + "\n".repeat(220))))
                .hasSize(1);
        assertThat(problems(this.check, Page.of("README.md", "# Locks\n" + "\n".repeat(199))))
                .isEmpty();
    }

    @Test
    void shouldReportRowsWithOtherCellsThanTheHeader() {
        assertThat(problems(
                        this.check,
                        Page.of("README.md", "# Locks\n\n| a | b |\n|---|---|\n| `a|b` | c |\n| a | b |\n")))
                .singleElement()
                .asString()
                .startsWith("5: ");
    }
}
