package io.github.lockstarter.docstests.text;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PhrasesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Nobody waits.",
                "The lock `a` counts on calls through\n  the bean.",
                "It waits. Who waits, waits.",
                "Who waits, waits.",
                "- one\n- Who waits",
                "| Who waits | x |\n|---|---|\n",
                "## Who waits",
                "the watchdog stumbled over lock"
            })
    void shouldReport(String text) {
        assertThat(problems(new Phrases(), text)).isNotEmpty();
    }

    @Test
    void shouldNameTheLine() {
        assertThat(problems(new Phrases(), "# Title\n\nSome text\nof somebody\n"))
                .singleElement()
                .asString()
                .startsWith("4: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "The caller who waits.",
                "See `shouldTellNobody` and [it](nobody.md).",
                "```text\nNobody\n```",
                "WHO is an organisation",
                "is hadronic"
            })
    void shouldAccept(String text) {
        assertThat(problems(new Phrases(), text)).isEmpty();
    }
}
