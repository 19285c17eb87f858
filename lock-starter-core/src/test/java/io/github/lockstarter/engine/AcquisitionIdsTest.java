package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The form of ids, which other instances and tools read. */
class AcquisitionIdsTest {

    @Test
    void shouldBeginWithTheInstance() {
        for (int i = 0; i < 1_000; i++) {
            AcquisitionIds ids = new AcquisitionIds();
            String id = ids.next();

            assertThat(ids.instance()).matches("[0-9A-Za-z]{11}");
            assertThat(id).matches("[0-9A-Za-z]{11}-[0-9A-Za-z]{10}").startsWith(ids.instance() + '-');
            assertThat(AcquisitionIds.instanceOf(id)).isEqualTo(ids.instance());
        }
    }

    @Test
    void shouldBeUnique() {
        AcquisitionIds ids = new AcquisitionIds();
        Set<String> drawn = Stream.generate(ids::next).limit(100_000).collect(Collectors.toSet());
        Set<String> instances = Stream.generate(() -> new AcquisitionIds().instance())
                .limit(1_000)
                .collect(Collectors.toSet());

        assertThat(drawn).hasSize(100_000);
        assertThat(instances).hasSize(1_000);
    }

    /** Otherwise fewer bits would be random than there seem to be. */
    @Test
    void shouldUseEachCharacterInEachPlace() {
        AcquisitionIds ids = new AcquisitionIds();
        for (int place = 12; place < 22; place++) {
            Set<Character> used = new HashSet<>();
            for (int i = 0; i < 5_000; i++) {
                used.add(ids.next().charAt(place));
            }
            assertThat(used).as("place %d", place).hasSize(62);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "somebody",
                "0123456789a",
                "0123456789a-012345678",
                "0123456789a-01234567890",
                "0123456789_-0123456789",
                "0123456789a_0123456789",
                "0123456789-a0123456789",
                "0123456789a-012345678ä",
                "abcdefghijklmnopqrstuv"
            })
    void shouldFindNoInstanceInOtherIds(String id) {
        assertThat(AcquisitionIds.instanceOf(id)).isNull();
    }
}
