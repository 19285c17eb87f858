package io.github.lockstarter.testsupport;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A second JVM with the class path of this one, for what happens between processes. It talks to the test by lines:
 * those it prints are kept, those that the test sends come in on its standard input. Gone with {@link #close()}, at the
 * latest with this JVM.
 */
public final class WorkerJvm implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final List<String> FAST_START = List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx256m");

    private final Process process;
    private final Lines lines = new Lines();
    private final Thread atExit;

    private WorkerJvm(Process process) {
        this.process = process;
        this.atExit = new Thread(process::destroyForcibly, "worker-at-exit");
        Runtime.getRuntime().addShutdownHook(atExit);
        Thread reader = new Thread(this::read, "worker-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts the main method of a class. */
    public static WorkerJvm start(Class<?> main, String... arguments) {
        return start(List.of(), main, arguments);
    }

    /** Starts the main method of a class, with options such as {@code -Dname=value}. */
    public static WorkerJvm start(List<String> jvmOptions, Class<?> main, String... arguments) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(FAST_START);
        line.addAll(jvmOptions);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        line.addAll(List.of(arguments));
        try {
            return new WorkerJvm(
                    new ProcessBuilder(line).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** All lines that it has printed, to either stream. */
    public List<String> lines() {
        return lines.all();
    }

    /** The first line that is like this, now or within the limit. */
    public String awaitLine(Predicate<String> wanted, Duration limit) throws InterruptedException {
        return awaitLines(wanted, 1, limit).get(0);
    }

    /** The first lines that are like this, as many as wanted, now or within the limit. */
    public List<String> awaitLines(Predicate<String> wanted, int count, Duration limit) throws InterruptedException {
        return lines.await(wanted, count, limit);
    }

    /** Gives it a line on its standard input. */
    public void send(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its exit code. */
    public int awaitExit(Duration limit) throws InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("Still running after " + limit + ": " + lines());
        }
        return process.exitValue();
    }

    /** Asks it to end (SIGTERM), so that its shutdown hooks run; what they print is kept. */
    public void stop() {
        Signals.terminate(pid());
    }

    /** Ends it as a power cut would (SIGKILL), frozen or not, and waits for that. */
    public void kill() {
        process.destroyForcibly();
        try {
            awaitExit(LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Freezes it, as a long garbage collection or a suspended machine would. */
    public void pause() {
        Signals.stop(pid());
    }

    public void resume() {
        Signals.resume(pid());
    }

    @Override
    public void close() {
        kill();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // the JVM is ending already
        }
    }

    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add("(output lost: " + e + ")");
        } finally {
            lines.end();
        }
    }
}
