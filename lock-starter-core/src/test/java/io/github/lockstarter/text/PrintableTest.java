package io.github.lockstarter.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts that can neither begin a line, steer a terminal nor change how the rest of a line is displayed. */
class PrintableTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"", "order:42", "Bestellung ä ß €", "订单:四十二", "\uD83D\uDE00 smile", "a\\nb 'c' \"d\" ~ \u00A0"})
    void shouldLeaveTextsAsTheyAre(String text) {
        assertThat(Printable.of(text)).isSameAs(text);
        assertThat(Printable.isPrintable(text)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "10, line feed",
        "9, tab",
        "0, null",
        "27, escape",
        "127, delete",
        "133, next line",
        "8232, line separator",
        "8233, paragraph separator",
        "8238, right-to-left override",
        "8203, zero width space",
        "55357, half of a pair"
    })
    void shouldShowTheNumberOf(int codePoint, String name) {
        String text = "order:1" + Character.toString(codePoint) + "forged";

        assertThat(Printable.of(text)).as(name).isEqualTo("order:1" + String.format("\\u%04X", codePoint) + "forged");
        assertThat(Printable.isPrintable(text)).isFalse();
    }

    /** Tags of languages: invisible, and outside of the first 65,536. */
    @Test
    void shouldShowBothHalvesOfAPair() {
        assertThat(Printable.of("a" + Character.toString(0xE0041) + "b")).isEqualTo("a\\uDB40\\uDC41b");
    }
}
