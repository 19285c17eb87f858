package io.github.lockstarter.spec;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tlc2.TLC;

/**
 * Runs TLC, and leaves nothing in the source tree. Thread-safe.
 *
 * <p>TLC keeps its state in static fields, so that each configuration needs classes of its own. A JVM for each would
 * spend most of its time on its start: one JVM checks several configurations, one after the other, see {@link
 * CheckingProcess}.
 */
final class ModelChecker implements AutoCloseable {

    private static final long LIMIT_SECONDS = 600;

    /** Each of them leaves some 20 MB in its JVM. */
    private static final int CONFIGURATIONS_IN_ONE_PROCESS = 10;

    private static final Pattern DISTINCT = Pattern.compile("([0-9,]+) distinct states found");

    private static final Pattern STEP = Pattern.compile("^State (\\d+):", Pattern.MULTILINE);

    private final Path scratch;

    /** Null: the next check starts one. */
    private Worker worker;

    ModelChecker(Path scratch) {
        this.scratch = scratch;
    }

    /** The output of TLC. */
    record Result(String output) {

        boolean holds() {
            return this.output.contains("Model checking completed. No error has been found.");
        }

        long distinctStates() {
            return DISTINCT.matcher(this.output)
                    .results()
                    .map(found -> found.group(1).replace(",", ""))
                    .mapToLong(Long::parseLong)
                    .reduce(0, (first, last) -> last);
        }

        /** States of the counterexample. */
        int traceLength() {
            return STEP.matcher(this.output)
                    .results()
                    .map((MatchResult found) -> found.group(1))
                    .mapToInt(Integer::parseInt)
                    .reduce(0, (first, last) -> last);
        }
    }

    Result check(Configuration configuration) throws IOException, InterruptedException {
        if (this.worker == null) {
            this.worker = new Worker(this.scratch);
        }
        boolean isUsable = false;
        try {
            Result result = this.worker.check(configuration);
            isUsable = this.worker.checks < CONFIGURATIONS_IN_ONE_PROCESS;
            return result;
        } finally {
            if (!isUsable) {
                close();
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        if (this.worker != null) {
            this.worker.close();
            this.worker = null;
        }
    }

    /** A process that checks one configuration at a time. */
    private static final class Worker {

        private final Process process;

        private final BufferedReader output;

        private final Writer input;

        private int checks;

        Worker(Path scratch) throws IOException {
            // TLC unpacks its own modules there at each start.
            Path own = Files.createTempDirectory(scratch, "process");
            this.process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx768m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-Djava.io.tmpdir=" + own,
                            "-cp",
                            locationOf(CheckingProcess.class).toString(),
                            CheckingProcess.class.getName(),
                            locationOf(TLC.class).toString(),
                            own.toString())
                    .directory(Configuration.HOME.toFile())
                    .redirectErrorStream(true)
                    .start();
            this.output = this.process.inputReader();
            this.input = this.process.outputWriter();
        }

        Result check(Configuration configuration) throws InterruptedException {
            this.checks++;
            FutureTask<String> text = new FutureTask<>(() -> outputFor(configuration));
            new Thread(text, "output of " + configuration).start();
            try {
                return new Result(text.get(LIMIT_SECONDS, TimeUnit.SECONDS));
            } catch (TimeoutException ex) {
                throw new IllegalStateException("Not done after " + LIMIT_SECONDS + " s: " + configuration, ex);
            } catch (ExecutionException ex) {
                this.process.destroyForcibly();
                throw new IllegalStateException(
                        "The process has ended with " + this.process.waitFor() + ": " + configuration, ex);
            }
        }

        private String outputFor(Configuration configuration) throws IOException {
            this.input.write(Configuration.HOME.relativize(configuration.file()) + "\n");
            this.input.flush();
            StringBuilder text = new StringBuilder();
            String line = this.output.readLine();
            while (!CheckingProcess.END.equals(line)) {
                if (line == null) {
                    throw new EOFException(text.toString());
                }
                text.append(line).append('\n');
                line = this.output.readLine();
            }
            return text.toString();
        }

        void close() throws InterruptedException {
            this.process.destroyForcibly().waitFor();
        }
    }

    private static File locationOf(Class<?> type) {
        URL location = type.getProtectionDomain().getCodeSource().getLocation();
        try {
            return new File(location.toURI());
        } catch (URISyntaxException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
