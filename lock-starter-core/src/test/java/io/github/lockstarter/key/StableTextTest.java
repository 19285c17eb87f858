package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.aop.Sources;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.CharBuffer;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.Month;
import java.time.ZoneId;
import java.util.AbstractMap.SimpleEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.xml.datatype.DatatypeFactory;
import jdk.net.UnixDomainPrincipal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.util.Lazy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The text of a key must be stable in all its parts. */
@SuppressWarnings("JavaUtilDate") // is rejected
class StableTextTest {

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
                Arguments.of(Map.of("a", 1), "java.util.ImmutableCollections", "differs between JVMs"),
                Arguments.of(List.of("a"), "java.util.ImmutableCollections", "which is several values"),
                Arguments.of(Path.of("a"), "sun.nio.fs", "which is several values"),
                Arguments.of(new Object(), "java.lang.Object", "Use a property of it that has a stable text"),
                Arguments.of(new PrintsIdentity(), PrintsIdentity.class.getName(), "differs between JVMs"),
                Arguments.of(new PrintsHash(), PrintsHash.class.getName(), "differs between JVMs"),
                Arguments.of(new PrintsNull(), PrintsNull.class.getName(), "whose text is null"),
                Arguments.of(new CompletableFuture<>(), CompletableFuture.class.getName(), "supplies one later"),
                Arguments.of(Stream.of("a"), "java.util.stream", "supplies one later"),
                Arguments.of(Mono.just("a"), "reactor.core.publisher.MonoJust", "supplies one later"),
                Arguments.of(Flux.just("a").map(String::trim), "reactor.core.publisher", "supplies one later"),
                Arguments.of(Lazy.of("a"), "org.springframework.data.util.Lazy", "supplies one later"),
                Arguments.of(new Later(), Later.class.getName(), "supplies one later"));
    }

    @ParameterizedTest
    @MethodSource
    void shouldAccept(Object value) {
        assertThat(StableText.of(value)).isEqualTo(value.toString());
    }

    static Stream<Object> shouldAccept() throws Exception {
        return Stream.of(
                42,
                new BigDecimal("1.50"),
                new AtomicLong(7),
                true,
                'x',
                DayOfWeek.MONDAY,
                new UUID(1, 2),
                LocalDate.of(2026, 1, 31),
                Duration.ofMinutes(1),
                ZoneId.of("Europe/Berlin"),
                new Inherited(),
                new Named("a"),
                new Box(null),
                new Box("a@b"),
                new Box(new Box("shop.Order@1b2c3d")),
                new Box(CharBuffer.wrap("[B@1b2c3d")),
                new Box(42),
                new Box(Month.MAY),
                new Box(Size.SMALL),
                new Box(new Box(new Box(7))),
                new Box(List.of("a", new Box("b"), List.of(1))),
                new Box(Arrays.asList("a", null)),
                new Box(new TreeSet<>(Set.of("a", "b"))),
                new Box(EnumSet.of(Month.MAY, Month.APRIL)),
                new Box(new ArrayDeque<>(List.of("b", "a"))),
                new Box(Optional.of("a")),
                new Box(Optional.empty()),
                new Box(Path.of("a", "b")),
                new Box(Locale.GERMANY),
                new Box(Currency.getInstance("EUR")),
                new Box(new Said("a@b")),
                new Pair("a@b", new Said("c@d")),
                URI.create("https://user@cafe.example/a"),
                URI.create("https://example.org").toURL(),
                DatatypeFactory.newInstance().newXMLGregorianCalendar("2026-01-31T00:00:00Z"),
                new Said("john.doe@decade"));
    }

    /** Prints a value that it may not have yet. */
    static class Later implements Supplier<String>, Iterator<String> {
        @Override
        public String get() {
            return "a";
        }

        @Override
        public boolean hasNext() {
            return false;
        }

        @Override
        public String next() {
            return "a";
        }

        @Override
        public String toString() {
            return "a";
        }
    }

    record Named(String name) implements Supplier<String> {
        @Override
        public String get() {
            return this.name;
        }
    }

    @ParameterizedTest
    @MethodSource
    void shouldReject(Object value, String what) {
        assertThatThrownBy(() -> StableText.of(value))
                .isInstanceOf(UnstableTextException.class)
                .hasMessageContaining("a value of type " + value.getClass().getTypeName())
                .hasMessageContaining(what);
        assertThatThrownBy(() -> StableText.of(new Box(new Box(value))))
                .hasMessageContaining("contains a value of type ");
    }

    static Stream<Arguments> shouldReject() throws Exception {
        Supplier<String> lambda = () -> "a";
        return Stream.of(
                Arguments.of(new Box(new Object()), "contains a value of type java.lang.Object"),
                Arguments.of(new Box(lambda), "Lambda"),
                Arguments.of(new Box(new Later()), "contains a value of type " + Later.class.getName()),
                Arguments.of(new Box(new byte[] {1}), "contains a value of type byte[]"),
                Arguments.of(new Box(new Box(new int[0])), "contains a value of type int[]"),
                Arguments.of(new Box(List.of(new Box(1), new Box(new int[0]))), "contains a value of type int[]"),
                Arguments.of(new Box(Optional.of(new int[0])), "contains a value of type int[]"),
                Arguments.of(
                        new Box(new SimpleEntry<>("a", 1)),
                        "contains a value of type java.util.AbstractMap$SimpleEntry"),
                Arguments.of(new Box(new TreeMap<>(Map.of("a", 1))), "order"),
                Arguments.of(new Box(Set.of("a")), "order"),
                Arguments.of(new Box(Map.of("a", 1)), "order"),
                Arguments.of(new Box(Map.of("a", 1).values()), "order"),
                Arguments.of(new Box(List.of(Set.of("a", "b"))), "order"),
                Arguments.of(new Date(), "time zone"),
                Arguments.of(Calendar.getInstance(), "time zone"),
                Arguments.of(new Box(new Date()), "contains a value of type java.util.Date"),
                Arguments.of(TimeZone.getTimeZone("Europe/Berlin"), "time zone"),
                Arguments.of(InetAddress.getLoopbackAddress(), "host name"),
                Arguments.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), "host name"),
                Arguments.of(new OnlyId("a", Set.of("x")), "order"),
                Arguments.of(new Fails("a"), "cannot be read"),
                Arguments.of(
                        new UnixDomainPrincipal(new User(new Object()), new User("a")),
                        "contains a value of type java.lang.Object"));
    }

    @Test
    void shouldAcceptAnEnumByItsName() {
        assertThat(StableText.of(Loud.ONE)).isEqualTo("ONE");
    }

    @Test
    void shouldRejectCyclicValues() {
        List<Object> cyclic = new ArrayList<>();
        Box box = new Box(cyclic);
        cyclic.add(box);
        cyclic.add(new Box(cyclic));

        assertThatThrownBy(() -> StableText.of(box))
                .isInstanceOf(UnstableTextException.class)
                .hasMessageContaining("contains itself");
        assertThatThrownBy(() -> StableText.of(new Endless())).hasMessageContaining("contains itself");
        assertThatThrownBy(() -> StableText.of(deep(100_000))).hasMessageContaining("too deeply");
    }

    /** A module may keep the components of its records to itself. */
    @Test
    void shouldRejectAHiddenRecord(@TempDir Path directory) throws Exception {
        Method order = Sources.in(directory)
                .add("shop.hidden.Order", "public record Order(Object id) {}")
                .add(
                        "shop.Orders",
                        "public class Orders {"
                                + " public static Object of(Object id) { return new shop.hidden.Order(id); } }")
                .load("shop.Orders", "shop", "module shop { exports shop; }")
                .getMethod("of", Object.class);
        Object hidden = order.invoke(null, "a");

        assertThatThrownBy(() -> StableText.of(hidden))
                .isInstanceOf(UnstableTextException.class)
                .hasMessageContaining("a value of type shop.hidden.Order, whose component cannot be read.");
    }

    private static Box deep(int depth) {
        Box box = new Box("end");
        for (int i = 0; i < depth; i++) {
            box = new Box(box);
        }
        return box;
    }

    private record Box(Object content) {}

    private record Pair(String first, Object second) {}

    /** Overrides toString(), whose text is not searched for the components. */
    private record OnlyId(String id, Set<String> tags) {

        @Override
        public String toString() {
            return "Only " + this.id;
        }
    }

    @SuppressWarnings("UnusedMethod") // called by reflection
    private record Fails(String id) {

        @Override
        public String id() {
            throw new IllegalStateException("closed");
        }

        @Override
        public String toString() {
            return "Fails";
        }
    }

    private record User(Object identity) implements GroupPrincipal {

        @Override
        public String getName() {
            return "user";
        }
    }

    private static final class Said {

        private final String text;

        Said(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return this.text;
        }
    }

    private static final class Endless {

        @Override
        public String toString() {
            return "Endless " + List.of(this);
        }
    }

    private enum Size {
        SMALL
    }

    private enum Loud {
        ONE {
            @Override
            public String toString() {
                return "loud";
            }
        }
    }

    private static class WithText {

        @Override
        public String toString() {
            return "own text";
        }
    }

    private static final class Inherited extends WithText {}

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
