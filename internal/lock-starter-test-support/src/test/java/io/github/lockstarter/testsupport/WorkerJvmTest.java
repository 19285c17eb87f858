package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkerJvmTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    /** Prints what it was given, then repeats what it is sent, until it is to end. */
    static final class Echo {

        private Echo() {}

        public static void main(String[] arguments) throws IOException {
            System.out.println("ready " + List.of(arguments) + " " + System.getProperty("probe"));
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
                System.out.println("echo " + line);
            }
            System.err.println("bye");
            System.exit(3);
        }
    }

    @Test
    void printsIsSentLinesAndEnds() throws InterruptedException {
        try (WorkerJvm worker = WorkerJvm.start(List.of("-Dprobe=set"), Echo.class, "a", "b")) {
            assertThat(worker.awaitLine(line -> line.startsWith("ready"), LIMIT))
                    .isEqualTo("ready [a, b] set");
            worker.send("one");
            worker.send("two");
            assertThat(worker.awaitLines(line -> line.startsWith("echo"), 2, LIMIT))
                    .containsExactly("echo one", "echo two");
            worker.send("end");
            assertThat(worker.awaitLine("bye"::equals, LIMIT)).isEqualTo("bye");
            assertThat(worker.awaitExit(LIMIT)).isEqualTo(3);
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> worker.awaitLine("never"::equals, LIMIT))
                    .withMessageContaining("has ended")
                    .withMessageContaining("echo two");
        }
    }

    @Test
    void doesNothingWhilePaused() throws InterruptedException {
        try (WorkerJvm worker = WorkerJvm.start(Echo.class)) {
            worker.awaitLine(line -> line.startsWith("ready"), LIMIT);
            worker.pause();
            worker.send("late");
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> worker.awaitLine("echo late"::equals, Duration.ofMillis(300)))
                    .withMessageContaining("Not within");
            assertThat(worker.isAlive()).isTrue();
            worker.resume();
            worker.awaitLine("echo late"::equals, LIMIT);
        }
    }

    @Test
    void isKilledEvenWhilePaused() throws InterruptedException {
        try (WorkerJvm worker = WorkerJvm.start(Echo.class)) {
            worker.awaitLine(line -> line.startsWith("ready"), LIMIT);
            worker.pause();
            worker.kill();
            assertThat(worker.isAlive()).isFalse();
            assertThat(ProcessHandle.of(worker.pid())).isEmpty();
        }
    }
}
