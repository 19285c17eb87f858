package io.github.lockstarter.docstests.structure;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.docstests.markdown.Page;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TranslationsTest {

    private static final String ENGLISH = """
        # Locks

        [中文](../zh-CN/reference/locks.md)

        ## What is it?

        See [there](#what-is-it) and [Redis](redis.md#user).

        ```sh
        run   # now
        ```

        | a | b |
        |---|---|
        | 1 | 2 |
        """;

    private static final String CHINESE = """
        # 锁

        [English](../../reference/locks.md)

        ## 是什么？

        见 [Redis](../../reference/redis.md#user) 和[那里](#是什么)。

        ```sh
        run   # 现在
        ```

        | 甲 | 乙 |
        |---|---|
        | 1 | 2 |
        """;

    private static List<String> problemsOf(String english, String chinese) {
        return problems(
                new Translations(),
                Page.of("docs/reference/locks.md", english),
                Page.of("docs/zh-CN/reference/locks.md", chinese),
                Page.of("docs/reference/redis.md", "# Redis\n\n## User\n"));
    }

    @Test
    void shouldAcceptATranslation() {
        assertThat(problemsOf(ENGLISH, CHINESE)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'## 是什么？', '### 是什么？', 5",
        "run, walk, 9",
        "'```sh', '```text', 9",
        "'| 1 | 2 |', '| 1 | 2 |\n| 3 | 4 |', 13",
        "'[那里](#是什么)', '那里', 15",
        "redis.md, locks.md, 7",
        "'[English](../../reference/locks.md)', 'English', 1"
    })
    void shouldReportADifference(String part, String replacement, int line) {
        assertThat(problemsOf(ENGLISH, CHINESE.replace(part, replacement)))
                .isNotEmpty()
                .anySatisfy(problem -> assertThat(problem).startsWith(line + ": "));
    }

    @Test
    void shouldReportAMissingLinkOfTheEnglishPage() {
        assertThat(problemsOf(ENGLISH.replace("[中文](../zh-CN/reference/locks.md)", ""), CHINESE))
                .singleElement()
                .asString()
                .contains("zh-CN");
    }

    @Test
    void shouldReportAPageWithoutAnOriginal() {
        assertThat(problems(new Translations(), Page.of("README.zh-CN.md", "# 锁\n")))
                .hasSize(1);
    }
}
