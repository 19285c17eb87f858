package io.github.lockstarter.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys of Spring Integration are objects; equal ones must have the same name everywhere. */
@SuppressWarnings({"UnnecessaryStringBuilder", "JavaUtilDate"
}) // a key that is text, but no String; one that is refused
class LockKeyNameTest {

    private static String name(Object key) {
        return LockKeyName.of("integration", key);
    }

    @Test
    void shouldBeTheTextOfTheKey() {
        UUID id = UUID.randomUUID();

        assertThat(name("/tmp/a:b")).isEqualTo("integration:/tmp/a:b");
        assertThat(name(new StringBuilder("a"))).isEqualTo("integration:a");
        assertThat(name(id)).isEqualTo("integration:" + id);
        assertThat(name(TimeUnit.DAYS)).isEqualTo("integration:DAYS");
        assertThat(name(new Order("7", 2))).isEqualTo("integration:Order[id=7, part=2]");
        assertThat(name(new Group(List.of("a@b", "Foo@1b2c3d")))).isEqualTo("integration:Group[key=[a@b, Foo@1b2c3d]]");
        assertThat(name(Level.HIGH)).isEqualTo("integration:HIGH");
    }

    @Test
    void shouldFitEvenIfTheKeyIsLong() {
        String path = "/data/" + "\u00e4".repeat(300);

        assertThat(name(path)).matches("integration:sha256-[0-9a-f]{64}").isEqualTo(name(new StringBuilder(path)));
        assertThat(name(path + "/b")).isNotEqualTo(name(path));
        assertThat(name("x".repeat(500))).isEqualTo("integration:" + "x".repeat(500));
    }

    static List<Object> unstable() {
        return List.of(
                new byte[] {1},
                new Object(),
                List.of("a"),
                Map.of(),
                Optional.of("a"),
                new Named(new Object()),
                new Date(),
                TimeZone.getDefault(),
                new Group(new Object()),
                new Group(new byte[] {1}),
                new Group(Set.of("a")),
                new Group(List.of(new Group(new Date()))));
    }

    @ParameterizedTest
    @MethodSource("unstable")
    void shouldNotBeAGuess(Object key) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> name(key))
                .withMessageContaining(key.getClass().getTypeName())
                .withMessageContaining("String");
    }

    private record Order(String id, int part) {}

    private record Group(Object key) {}

    private enum Level {
        HIGH;

        @Override
        public String toString() {
            return "high";
        }
    }

    /** Has a text of its own, which is that of Object all the same. */
    private static final class Named {

        Named(Object ignored) {}

        @Override
        public String toString() {
            return "Named " + super.toString();
        }
    }
}
