package io.github.lockstarter.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.WorkerJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories in files, which anybody may bring. */
class HistoryFileTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    @Test
    void shouldReadWhatWasWrittenAndPutItInOrder() {
        Path one = this.directory.resolve("one");
        Path two = this.directory.resolve("two");
        try (HistoryLog first = HistoryLog.to(one, "a");
                HistoryLog second = HistoryLog.to(two, "b")) {
            first.at(30, EventKind.LOST, "job", 1, 7, 0, "by  some\nbody");
            second.at(20, EventKind.HELD, "job", 2, 8, 25, "");
            first.at(10, EventKind.STOOD_STILL, "*", 0, 0, 5, "");
        }

        assertThat(History.read(List.of(one, two)).events())
                .containsExactly(
                        new Event(10, "a", 0, EventKind.STOOD_STILL, "*", 0, 5, ""),
                        new Event(20, "b", 2, EventKind.HELD, "job", 8, 25, ""),
                        new Event(30, "a", 1, EventKind.LOST, "job", 7, 0, "by some body"));
    }

    @Test
    void shouldIgnoreTheLineThatAKilledProcessDidNotFinish() throws Exception {
        Path file = Files.writeString(this.directory.resolve("killed"), "10 a 1 ACQUIRE job\n20 a 1 GRAN");

        assertThat(History.read(List.of(file)).events()).hasSize(1);
    }

    @Test
    void shouldSayAsAProgramWhatIsWrong() throws Exception {
        Path file = Files.writeString(this.directory.resolve("bad"), """
                 0 a 1 ACQUIRE  job 0 50
                 1 a 1 GRANTED  job 7 91
                 2 b 1 ACQUIRE  job 0 500
                40 b 1 GRANTED  job 8 130
                """);

        try (WorkerJvm program = WorkerJvm.start(HistoryChecker.class, "lease=1000", file.toString())) {
            program.awaitLine(line -> line.startsWith("belief: Two owners of 'job': a/1"), LIMIT);
            program.awaitLine("4 events, 2 attempts, 2 grants, 1 violations"::equals, LIMIT);
            assertThat(program.awaitExit(LIMIT)).isOne();
        }
    }
}
