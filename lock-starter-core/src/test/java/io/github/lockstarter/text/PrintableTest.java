package io.github.lockstarter.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

    /**
     * Line feed, tab, null, escape, delete; next line, line and paragraph separator; right-to-left override, zero
     * width space; half of a pair.
     */
    @ParameterizedTest
    @ValueSource(ints = {'\n', '\t', 0, 27, 127, 133, 8232, 8233, 8238, 8203, 55357})
    void shouldShowTheNumberOf(int codePoint) {
        String text = "order:1" + Character.toString(codePoint) + "forged";

        assertThat(Printable.of(text)).isEqualTo("order:1" + String.format("\\u%04X", codePoint) + "forged");
        assertThat(Printable.isPrintable(text)).isFalse();
    }

    /** Tags of languages: invisible, and outside of the first 65,536. */
    @Test
    void shouldShowBothHalvesOfAPair() {
        assertThat(Printable.of("a" + Character.toString(0xE0041) + "b")).isEqualTo("a\\uDB40\\uDC41b");
    }
}
