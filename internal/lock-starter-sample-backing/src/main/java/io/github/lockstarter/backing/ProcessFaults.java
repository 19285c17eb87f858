package io.github.lockstarter.backing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Pauses and kills processes of this machine through a shell, because a paused process cannot continue itself. {@link
 * #pause} and {@link #kill} take effect after 0.2 seconds, so that the caller can answer a request first.
 */
public final class ProcessFaults {

    /**
     * Waits for the end of its input, which comes with the end of this JVM, {@code kill -9} included. Ctrl-C in a
     * terminal reaches the guard as well.
     */
    private static final String GUARD = "trap '' INT HUP QUIT; read -r _; kill -9 \"$0\"; [ $# = 0 ] || rm -rf \"$@\"";

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

    /** Stops a process that this JVM has started, until it is {@linkplain #resume resumed}. */
    public static void stop(Process process) {
        signal(process, "-STOP");
    }

    /** Resumes a process that was {@linkplain #stop stopped}. */
    public static void resume(Process process) {
        signal(process, "-CONT");
    }

    private static void signal(Process process, String signal) {
        Process sent =
                run("kill " + signal + " $0", "" + process.pid()).onExit().join();
        if (sent.exitValue() != 0) {
            throw new IllegalStateException("Process " + process.pid() + " could not be sent " + signal);
        }
    }

    /**
     * Kills a process when this JVM ends, for whatever reason.
     *
     * @param directories are deleted with the process if it is killed for this reason
     */
    public static void endWithThisJvm(Process process, Path... directories) {
        List<String> arguments = new ArrayList<>(List.of("" + process.pid()));
        for (Path directory : directories) {
            arguments.add(directory.toString());
        }
        Process guard = run(GUARD, arguments.toArray(String[]::new));
        CompletableFuture<Void> unused = process.onExit().thenRun(guard::destroy);
    }

    /** Ends a process as a crash does. */
    public static void kill(long pid) {
        shell("kill -KILL $0", pid);
    }

    private static void shell(String commands, long pid) {
        run("sleep 0.2; " + commands, Long.toString(pid));
    }

    private static Process run(String commands, String... arguments) {
        List<String> line = new ArrayList<>(List.of("sh", "-c", commands));
        line.addAll(List.of(arguments));
        try {
            return new ProcessBuilder(line)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
        } catch (IOException ex) {
            throw new UncheckedIOException("No shell can be started", ex);
        }
    }
}
