package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.nio.CharBuffer;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StableTextTest {

    @ParameterizedTest
    @MethodSource
    void shouldUseTheTextOf(Object value, String text) {
        assertThat(StableText.of(value)).isEqualTo(text);
    }

    static Stream<Arguments> shouldUseTheTextOf() {
        return Stream.of(
                Arguments.of("42", "42"),
                Arguments.of(CharBuffer.wrap("42"), "42"),
                Arguments.of(42, "42"),
                Arguments.of(42L, "42"),
                Arguments.of(4.5, "4.5"),
                Arguments.of(new BigDecimal("1.50"), "1.50"),
                Arguments.of(new AtomicLong(7), "7"),
                Arguments.of(true, "true"),
                Arguments.of('x', "x"),
                Arguments.of(DayOfWeek.MONDAY, "MONDAY"),
                Arguments.of(Colour.RED, "RED"),
                Arguments.of(Colour.GREEN, "GREEN"),
                Arguments.of(new UUID(1, 2), "00000000-0000-0001-0000-000000000002"),
                Arguments.of(LocalDate.of(2026, 1, 31), "2026-01-31"),
                Arguments.of(Instant.EPOCH, "1970-01-01T00:00:00Z"),
                Arguments.of(Duration.ofMinutes(1), "PT1M"),
                Arguments.of(ZoneId.of("Europe/Berlin"), "Europe/Berlin"),
                Arguments.of(new OrderId("a", 1), "OrderId[shop=a, number=1]"),
                Arguments.of(new Inherited(), "own text"));
    }

    @ParameterizedTest
    @MethodSource
    void shouldRejectObjectsWithoutAStableText(Object value, String type, String reason) {
        assertThatThrownBy(() -> StableText.of(value))
                .isInstanceOf(UnstableTextException.class)
                .hasMessageContaining("a value of type " + type)
                .hasMessageContaining(reason);
    }

    static Stream<Arguments> shouldRejectObjectsWithoutAStableText() {
        return Stream.of(
                Arguments.of(new int[] {1}, "int[]", "differs between JVMs"),
                Arguments.of(new String[] {"a"}, "java.lang.String[]", "return a List"),
                Arguments.of(Optional.of("a"), "java.util.Optional", "orElseThrow()"),
                Arguments.of(OptionalInt.of(1), "java.util.OptionalInt", "orElseThrow()"),
                Arguments.of(Map.of("a", 1), "java.util.ImmutableCollections", "differs between JVMs"),
                Arguments.of(List.of("a"), "java.util.ImmutableCollections", "which is several values"),
                Arguments.of(Set.of(), "java.util.ImmutableCollections", "which is several values"),
                Arguments.of(new ArrayDeque<>(), "java.util.ArrayDeque", "which is several values"),
                Arguments.of(Path.of("a"), "sun.nio.fs", "which is several values"),
                Arguments.of(new Object(), "java.lang.Object", "Use a property of it that has a stable text"),
                Arguments.of(new Plain(), Plain.class.getName(), "differs between JVMs"),
                Arguments.of(new PrintsIdentity(), PrintsIdentity.class.getName(), "differs between JVMs"),
                Arguments.of(new PrintsHash(), PrintsHash.class.getName(), "differs between JVMs"),
                Arguments.of(new PrintsNull(), PrintsNull.class.getName(), "whose text is null"),
                Arguments.of(new CompletableFuture<>(), CompletableFuture.class.getName(), "differs between JVMs"),
                Arguments.of(Stream.of("a"), "java.util.stream", "differs between JVMs"));
    }

    private enum Colour {
        RED {
            @Override
            public String toString() {
                return "a warm colour";
            }
        },
        GREEN
    }

    private record OrderId(String shop, int number) {}

    private static class WithText {

        @Override
        public String toString() {
            return "own text";
        }
    }

    private static final class Inherited extends WithText {}

    private static final class Plain {}

    private static final class PrintsIdentity {

        @Override
        public String toString() {
            return "order " + super.toString();
        }
    }

    private static final class PrintsHash {

        @Override
        public String toString() {
            return "order 7@" + Integer.toHexString(System.identityHashCode(this)) + 'x';
        }
    }

    private static final class PrintsNull {

        @Override
        @SuppressWarnings("ToStringReturnsNull")
        public String toString() {
            return null;
        }
    }
}
