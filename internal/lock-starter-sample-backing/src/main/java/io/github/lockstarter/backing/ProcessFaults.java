package io.github.lockstarter.backing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Pauses and kills processes of this machine, the own one included. A shell does it, since a paused process cannot continue itself,
 * after a moment, so that the caller can still answer a request.
 */
public final class ProcessFaults {

    /** Waits for the end of its input, which comes with the end of this JVM, {@code kill -9} included. */
    private static final String GUARD = "read -r _; kill -9 \"$0\"; [ $# = 0 ] || rm -rf \"$@\"";

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

    public static void resume(Process process) {
        signal(process, "-CONT");
    }

    private static void signal(Process process, String signal) {
        run("kill " + signal + " $0", "" + process.pid()).onExit().join();
    }

    /**
     * Lets a process not outlive this JVM, however that ends.
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
