package io.github.lockstarter.docstests.markdown;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PageTest {

    private static final Page PAGE = Page.of("docs/reference/example.md", """
        # Title of `Code`

        Some `code` and a [link](other.md#there), which
        goes on with `a
        call()` and <https://redis.io/docs>.

        <!-- given
        Ledger ledger;
        -->

        1. Step

           ```java
           void a() {
               b();
           }
           ```

        | name | Default |
        |---|---|
        | `a \\| b` | [1](#what-is-it) |
        | `c` | `2` |

        ## What is it?
        ## What is it?
        """);

    @Test
    void shouldHaveHeadingsWithTheAnchorsOfGitHub() {
        assertThat(PAGE.headings())
                .containsExactly(
                        new Heading(1, 1, "Title of `Code`", "title-of-code"),
                        new Heading(24, 2, "What is it?", "what-is-it"),
                        new Heading(25, 2, "What is it?", "what-is-it-1"));
        assertThat(Page.of("x.md", "## 锁的键：为空时？").anchors()).containsExactly("锁的键为空时");
        assertThat(Page.of("x.md", "## Kotlin, `suspend` & [Flow](a.md)_x").anchors())
                .containsExactly("kotlin-suspend--flow_x");
    }

    @Test
    void shouldHaveFencesWithoutTheIndentOfTheirList() {
        assertThat(PAGE.fences()).singleElement().satisfies(fence -> {
            assertThat(fence.language()).isEqualTo("java");
            assertThat(fence.code()).containsExactly("void a() {", "    b();", "}");
            assertThat(fence.pageLine(1)).isEqualTo(15);
        });
    }

    @Test
    void shouldHaveTables() {
        assertThat(PAGE.tables()).singleElement().satisfies(table -> {
            assertThat(table.header()).containsExactly("name", "Default");
            assertThat(table.rows())
                    .hasSize(2)
                    .first()
                    .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                    .hasSize(2);
            assertThat(table.column("Nothing", "default")).isEqualTo(1);
            assertThat(table.pageLine(1)).isEqualTo(22);
        });
    }

    @Test
    void shouldHaveTextInBackticksAndLinksWithTheirLines() {
        assertThat(PAGE.codeSpans())
                .contains(new CodeSpan(3, "code"), new CodeSpan(4, "a call()"), new CodeSpan(21, "a | b"));
        assertThat(PAGE.links())
                .contains(
                        new Link(3, "other.md#there"),
                        new Link(5, "https://redis.io/docs"),
                        new Link(21, "#what-is-it"));
    }

    @Test
    void shouldHaveComments() {
        assertThat(PAGE.comments()).singleElement().satisfies(comment -> {
            assertThat(comment.line()).isEqualTo(7);
            assertThat(comment.content()).containsSequence("Ledger ledger;");
        });
    }

    @Test
    void shouldResolvePaths() {
        assertThat(PAGE.resolve("../README.md")).isEqualTo("docs/README.md");
        assertThat(PAGE.resolve("")).isEqualTo(PAGE.path());
        assertThat(PAGE.resolve("../../../x.md")).isEqualTo("../x.md");
    }
}
