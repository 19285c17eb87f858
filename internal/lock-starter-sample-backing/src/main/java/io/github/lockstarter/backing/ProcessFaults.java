package io.github.lockstarter.backing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;

/**
 * Pauses and kills processes of this machine, the own one included. A shell does it, since a paused process cannot continue itself,
 * after a moment, so that the caller can still answer a request.
 */
public final class ProcessFaults {

    private ProcessFaults() {}

    /**
     * Stops a Java or Redis process for some seconds, as a suspended virtual machine does.
     *
     * @throws IllegalArgumentException if this machine has no such process
     */
    public static void pause(long pid, int seconds) {
        boolean known = ProcessHandle.of(pid)
                .flatMap(process -> process.info().command())
                .filter(command -> command.matches(".*(java|redis|valkey)[^/]*"))
                .isPresent();
        if (!known) {
            throw new IllegalArgumentException("Process " + pid + " is no Java or Redis process of this machine");
        }
        shell("kill -STOP $0; sleep " + seconds + "; kill -CONT $0", pid);
    }

    /** Ends a process as a crash does. */
    public static void kill(long pid) {
        shell("kill -KILL $0", pid);
    }

    private static void shell(String commands, long pid) {
        try {
            new ProcessBuilder("sh", "-c", "sleep 0.2; " + commands, Long.toString(pid))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
        } catch (IOException ex) {
            throw new UncheckedIOException("No shell can be started", ex);
        }
    }
}
