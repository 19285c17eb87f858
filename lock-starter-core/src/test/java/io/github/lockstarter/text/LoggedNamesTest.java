package io.github.lockstarter.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What messages call a lock, with its key and without. */
class LoggedNamesTest {

    @Test
    void shouldShowTheWholeName() {
        assertThat(LoggedNames.withKeys(true).of("order:alice@example.com")).isEqualTo("order:alice@example.com");
        assertThat(LoggedNames.WITH_KEYS.of("or\nder:\u202E1")).isEqualTo("or\\u000Ader:\\u202E1");
    }

    /** {@code printf %s order:42 | sha256sum}. */
    @ParameterizedTest
    @CsvSource({
        "order:42, order:#da68380d",
        "order:43, order:#",
        "order:ä, order:#",
        "a:b:c, a:#",
        ":42, :#",
        "order:, order:#",
        "order, order"
    })
    void shouldShowTheStaticNameAndADigest(String lockName, String shown) {
        assertThat(LoggedNames.withKeys(false).of(lockName)).startsWith(shown).matches("[^#]*(:#[0-9a-f]{8})?");
    }

    @Test
    void shouldShowTheSameForTheSameLockAlone() {
        LoggedNames names = LoggedNames.WITHOUT_KEYS;

        assertThat(names.of("order:alice")).isEqualTo(names.of(String.join(":", "order", "alice")));
        assertThat(names.of("order:alice")).isNotEqualTo(names.of("order:bob")).doesNotContain("alice");
        assertThat(names.of("invoice:alice").substring(8))
                .isNotEqualTo(names.of("order:alice").substring(6));
    }

    @Test
    void shouldBePrintableWithoutKeys() {
        assertThat(LoggedNames.WITHOUT_KEYS.of("or\nder\u001b[2J:1"))
                .matches("or\\\\u000Ader\\\\u001B\\[2J:#[0-9a-f]{8}");
    }

    @Test
    void shouldShowStaticNamesWithoutAKeyInThem() {
        assertThat(LoggedNames.ofStatic("shop:order")).isEqualTo("shop:order");
        assertThat(LoggedNames.ofStatic("or\nder")).isEqualTo("or\\u000Ader");
        assertThat(LoggedNames.ofStatic(":alice")).matches(":#[0-9a-f]{8}");
    }
}
