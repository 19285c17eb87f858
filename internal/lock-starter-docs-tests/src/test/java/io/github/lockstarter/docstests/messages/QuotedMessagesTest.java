package io.github.lockstarter.docstests.messages;

import static io.github.lockstarter.docstests.Pages.problems;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuotedMessagesTest {

    private static final String ROW = "' (fencing token <token>) is LOST after <time> ms: <reason>. Its work may run";

    private static String table(String column, String message) {
        return "| Level | " + column + " |\n|---|---|\n| ERROR | `Lock '<name>" + message + "` |\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"Log line", "Message", "日志", "消息"})
    void shouldFindTheFixedPartsInTheCode(String column) {
        assertThat(problems(new QuotedMessages(), table(column, ROW))).isEmpty();
        assertThat(problems(new QuotedMessages(), table(column, ROW.replace("LOST after", "lost after"))))
                .singleElement()
                .asString()
                .startsWith("3: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Meaning", "Level"})
    void shouldLeaveOtherColumnsAlone(String column) {
        assertThat(problems(new QuotedMessages(), table(column, " is anything")))
                .isEmpty();
    }

    @Test
    void shouldFindWhatTheCodeJoins() {
        Quotes quotes = new Quotes(Set.of("Locks of x: Distributed locks ", "are ready: ", "start "));

        assertThat(quotes.contain("Distributed locks are ready: ")).isTrue();
        assertThat(quotes.contain("Distributed locks start are rea")).isTrue();
        assertThat(quotes.contain("Distributed locks are: ")).isFalse();
        assertThat(quotes.contain("Distributed locks ready: ")).isFalse();
    }
}
