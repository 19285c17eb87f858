package io.github.lockstarter.testsupport.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Histories that were written by hand, with times in milliseconds. The checker names exactly what violates a rule. */
class HistoryCheckerTest {

    private static final long MILLI = 1_000_000;

    private static final Duration COMMAND = Duration.ofMillis(10);

    private static final Duration LATE_NOTICE = Duration.ofMillis(20);

    private static final Duration LATE_TURN = Duration.ofMillis(5);

    /** It has the lock until 60. */
    private static final String OWNER = """
             0 a 1 ACQUIRE  job 0 50
             1 a 1 GRANTED  job 7 91
            60 a 1 RELEASE  job 7
            61 a 1 RELEASED job 7
            """;

    /** The first owner does not release. */
    private static final String TAKEN_OVER = """
              0 a 1 ACQUIRE  job 0 50
              1 a 1 GRANTED  job 7 91
              2 b 1 ACQUIRE  job 0 500
            110 b 1 GRANTED  job 8 200
            150 b 1 RELEASE  job 8
            151 b 1 RELEASED job 8
            """;

    @TempDir
    private Path directory;

    private static History history(String text) {
        return new History(History.of(text).events().stream()
                .map(event -> new Event(
                        event.at() * MILLI,
                        event.instance(),
                        event.attempt(),
                        event.kind(),
                        event.lock(),
                        event.token(),
                        event.time() * MILLI,
                        event.text()))
                .toList());
    }

    static Stream<Arguments> right() {
        return Stream.of(
                arguments("one owner after the other", OWNER + """
                         2 b 1 ACQUIRE  job 0 500
                        50 a 1 HELD     job 7 140
                        65 b 1 GRANTED  job 8 151
                        70 b 1 RELEASE  job 8
                        71 b 1 RELEASED job 8
                        # not an event
                        """),
                arguments("a grant of which nothing was left when its thread got its turn", OWNER + """
                         0 b 1 ACQUIRE  job 0 500
                        10 b 1 GRANTED  job 6 10
                        12 b 1 LOST     job 6 0 EXPIRED
                        13 b 1 RELEASE  job 6
                        14 b 1 NOT_OURS job 6
                        """),
                arguments("two owners of different locks", OWNER + """
                         2 b 1 ACQUIRE  other 0 500
                        40 b 1 GRANTED  other 8 130
                        50 b 1 RELEASE  other 8
                        51 b 1 RELEASED other 8
                        """),
                arguments("a notice in time", TAKEN_OVER + "129 a 1 LOST job 7 0 EXPIRED"),
                arguments("a release that reports the loss", TAKEN_OVER + """
                        129 a 1 LOST     job 7 0 EXPIRED
                        130 a 1 RELEASE  job 7
                        131 a 1 NOT_OURS job 7
                        """),
                arguments("no notice for a dead process", TAKEN_OVER + "60 nemesis 0 KILLED a"),
                arguments("nor for one that stood still", TAKEN_OVER + """
                        180 a 0 STOOD_STILL * 0 60
                        185 a 1 LOST job 7 0 EXPIRED
                        """),
                arguments("a wait of a process that stood still", OWNER + """
                        10 b 1 ACQUIRE job 0 40
                        95 b 0 STOOD_STILL * 0 35
                        96 b 1 FAILED job
                        """));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("right")
    void shouldFindNothing(String what, String text) {
        assertThat(HistoryChecker.violations(history(text), COMMAND, LATE_NOTICE, LATE_TURN))
                .as(what)
                .isEmpty();
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                arguments("belief: Two owners of 'job': a/1 (token 7) since [1000000 a 1 GRANTED job 7 91000000]", """
                         0 a 1 ACQUIRE  job 0 50
                         1 a 1 GRANTED  job 7 91
                         2 b 1 ACQUIRE  job 0 500
                        40 b 1 GRANTED  job 8 130
                        50 a 1 RELEASE  job 7
                        51 a 1 NOT_OURS job 7
                        52 b 1 RELEASE  job 8
                        53 b 1 RELEASED job 8
                        """),
                arguments("belief: Two owners of 'job': a/1", TAKEN_OVER + """
                        112 a 1 HELD job 7 113
                        114 a 1 LOST job 7 0 EXPIRED
                        """),
                arguments("tokens: The same token of 'job' for two", another(7)),
                arguments(
                        "tokens: A token of 'job' is smaller than one before: [1000000 a 1 GRANTED job 7", another(5)),
                arguments("notice: No notice in time that 'job' is lost: a/1", TAKEN_OVER + "140 a 1 LOST job 7 0 X"),
                arguments("notice: No notice in time that 'job' is lost: a/1", TAKEN_OVER),
                arguments("notice: Held after the notice of its loss: a/1", OWNER + """
                        20 a 1 LOST job 7 0 TAKEN_OVER
                        30 a 1 HELD job 7 91
                        """),
                arguments("release: The release of 'job' by a/1", TAKEN_OVER + """
                        129 a 1 LOST     job 7 0 EXPIRED
                        130 a 1 RELEASE  job 7
                        131 a 1 RELEASED job 7
                        """),
                arguments("waiting: A wait for 'job' did not end in time", OWNER + """
                        10 b 1 ACQUIRE job 0 40
                        75 b 1 FAILED job
                        """),
                arguments("waiting: A wait for 'job' did not end in time", OWNER + "10 b 1 ACQUIRE job 0 20"));
    }

    private static String another(long token) {
        return OWNER + """
                70 b 1 ACQUIRE  job 0 500
                71 b 1 GRANTED  job %1$d 161
                80 b 1 RELEASE  job %1$d
                81 b 1 RELEASED job %1$d
                """.formatted(token);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrong")
    void shouldName(String violation, String text) {
        assertThat(HistoryChecker.violations(history(text), COMMAND, LATE_NOTICE, LATE_TURN))
                .singleElement()
                .asString()
                .startsWith(violation);
    }

    @Test
    void shouldReadWhatWasWrittenPutItInOrderAndIgnoreWhatAKilledProcessDidNotFinish() throws Exception {
        Path one = this.directory.resolve("one");
        Path two = this.directory.resolve("two");
        try (HistoryLog first = HistoryLog.to(one, "a");
                HistoryLog second = HistoryLog.to(two, "b")) {
            first.at(30, EventKind.LOST, "job", 1, 7, 0, "by  an\nowner");
            second.at(20, EventKind.HELD, "job", 2, 8, 25, "");
            first.at(10, EventKind.STOOD_STILL, "*", 0, 0, 5, "");
        }
        Files.writeString(two, "30 b 1 GRAN", StandardOpenOption.APPEND);

        assertThat(History.read(List.of(one, two)).events())
                .containsExactly(
                        new Event(10, "a", 0, EventKind.STOOD_STILL, "*", 0, 5, ""),
                        new Event(20, "b", 2, EventKind.HELD, "job", 8, 25, ""),
                        new Event(30, "a", 1, EventKind.LOST, "job", 7, 0, "by an owner"));
    }
}
