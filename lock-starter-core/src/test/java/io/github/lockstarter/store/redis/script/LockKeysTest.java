package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.text.LoggedNames;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From names to keys and back. */
class LockKeysTest {

    private final LockKeys keys = new LockKeys("lock", LoggedNames.WITH_KEYS);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "order:1 | lock:{order:1}",
                "a{b}c | lock:{a%7Bb%7Dc}",
                "100% | lock:{100%25}",
                "100%25 | lock:{100%2525}",
                "ü€𝄞 | lock:{ü€𝄞}",
                "a\u0001z | lock:{a%01z}"
            })
    void shouldPutTheNameIntoBraces(String name, String key) {
        assertThat(this.keys.keyOf(name)).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock", "app:locks", "a", "prefix of another length, with ümlauts"})
    void shouldHaveKeysOfDifferentSlotsThatNoLockHas(String prefix) {
        LockKeys others = new LockKeys(prefix, LoggedNames.WITH_KEYS);

        assertThat(SlotHash.getSlot(others.ofNoLock('0'))).isNotEqualTo(SlotHash.getSlot(others.ofNoLock('1')));
        assertThat(others.ofNoLock('0')).startsWith(prefix + ':').doesNotEndWith("}");
    }

    /** Every key of a lock has braces. */
    @Test
    void shouldHaveAKeyOfTheFormatThatNoLockHas() {
        assertThat(this.keys.ofFormat()).isEqualTo("lock:format");
        assertThat(this.keys.nameOf(this.keys.ofFormat())).isNull();
        assertThat(this.keys.keyOf("format")).isEqualTo("lock:{format}");
        assertThat(this.keys.keyOf(":format")).isEqualTo("lock:{:format}");
        assertThat(this.keys.ofInstance("format")).isNotEqualTo(this.keys.ofFormat());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "}",
                "a",
                "lock",
                "lock:{",
                "lock:{a",
                "lock:a}",
                "shop:{a}",
                "lock:{%}",
                "lock:{%4}",
                "lock:{%zz}",
                "lock:{%u004}",
                "lock:{%u-123}",
                "lock:{%41}",
                "lock:{%7b}",
                "lock:{a\nb}",
                "lock:{a}b}"
            })
    void shouldFindNoNameInWhatIsNoKey(String garbage) {
        assertThat(this.keys.nameOf(garbage)).isNull();
    }

    @Test
    void shouldGiveEveryNameItsOwnKeyAndOneSlot() {
        Random random = new Random(42);
        String alphabet = "ab{}%7BD25uU\u0000\n\ud800\udc00ä\u0085 :";
        Map<String, String> names = new HashMap<>();
        for (int i = 0; i < 50_000; i++) {
            StringBuilder name = new StringBuilder();
            for (int length = 1 + random.nextInt(6); length > 0; length--) {
                name.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String key = this.keys.keyOf(name.toString());
            // what Redis gets is UTF-8, in which different strings can be the same bytes
            String bytes = new String(key.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);

            assertThat(this.keys.nameOf(bytes)).as("the name of %s", bytes).isEqualTo(name.toString());
            String other = names.put(bytes, name.toString());
            assertThat(other == null || other.contentEquals(name))
                    .as("'%s' and '%s' are both %s", name, other, bytes)
                    .isTrue();
            String tag = bytes.substring("lock:{".length(), bytes.length() - 1);
            assertThat(tag).as("braces end where the name ends").doesNotContain("{", "}");
            assertThat(SlotHash.getSlot(bytes)).isEqualTo(SlotHash.getSlot(tag));
        }
        assertThat(names).hasSizeGreaterThan(10_000);
    }
}
