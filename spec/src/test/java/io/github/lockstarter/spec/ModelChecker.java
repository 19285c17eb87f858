package io.github.lockstarter.spec;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tlc2.TLC;

/** Runs TLC in a JVM of its own, because it keeps its state in static fields, and leaves nothing in the source tree. */
record ModelChecker(Path scratch) {

    private static final long LIMIT_SECONDS = 180;

    private static final Pattern DISTINCT = Pattern.compile("([0-9,]+) distinct states found");

    private static final Pattern STEP = Pattern.compile("^State (\\d+):", Pattern.MULTILINE);

    /** What TLC wrote. */
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
        Path output = this.scratch.resolve("output");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        // It unpacks its own modules there.
                        "-Djava.io.tmpdir=" + this.scratch,
                        "-cp",
                        jar(),
                        TLC.class.getName(),
                        // So many configurations are checked at a time as there are processors.
                        "-workers",
                        "1",
                        // That all have done what they wanted, and nothing is left to do, is no error.
                        "-deadlock",
                        "-metadir",
                        this.scratch.resolve("states").toString(),
                        "-config",
                        Configuration.HOME.relativize(configuration.file()).toString(),
                        configuration.module())
                .directory(Configuration.HOME.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        "Not done after " + LIMIT_SECONDS + " s: " + configuration + "\n" + Files.readString(output));
            }
        } finally {
            process.destroyForcibly();
        }
        return new Result(Files.readString(output));
    }

    private static String jar() {
        try {
            return new File(TLC.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .getPath();
        } catch (URISyntaxException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
