package io.github.lockstarter.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** POSIX signals by process id, which {@link Process} has no methods for. */
final class Signals {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private Signals() {}

    /** Freezes a process; on return, no thread of it runs any more (where the system shows that). */
    static void stop(long pid) {
        send(pid, "STOP");
        Awaitility.await("stop of process " + pid)
                .pollInSameThread()
                .atMost(LIMIT)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> isStopped(pid));
    }

    /** Lets a frozen process go on. */
    static void resume(long pid) {
        send(pid, "CONT");
    }

    static void terminate(long pid) {
        send(pid, "TERM");
    }

    private static void send(long pid, String signal) {
        try {
            // the shell's own kill: the stand-alone program is missing on small systems
            Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid)
                    .redirectErrorStream(true)
                    .start();
            if (!kill.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS) || kill.exitValue() != 0) {
                throw new IllegalStateException("kill -" + signal + " " + pid + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while sending " + signal, e);
        }
    }

    private static boolean isStopped(long pid) {
        Path stat = Path.of("/proc", Long.toString(pid), "stat");
        if (!Files.isReadable(stat)) {
            return true;
        }
        try {
            String line = Files.readString(stat);
            return line.startsWith("T", line.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return true;
        }
    }
}
