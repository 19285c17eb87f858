package io.github.lockstarter.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.lockstarter.fixture.MasterWithReplicas;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * For a moment, the system gives a process no more threads. Whatever it does in that moment may fail; after it, everything works
 * again. The limit is that of {@code ulimit -u}, which another process sets and lifts while a JVM of its own runs. The
 * superuser has no such limit, so that a test that runs as root starts this JVM as another user.
 */
@RedisTest
@Timeout(120)
class RefusedThreadsTest {

    private static final String NO_USER = "54321";

    private static final List<String> AS_ANOTHER_USER = List.of(
            "setpriv",
            "--reuid=" + NO_USER,
            "--regid=" + NO_USER,
            "--clear-groups",
            // The class path may be in a folder of the superuser.
            "--inh-caps=-all,+dac_override",
            "--ambient-caps=-all,+dac_override",
            "--bounding-set=-all,+dac_override");

    /** No threads of the compiler, the garbage collector, or others of the JVM start later. */
    private static final List<String> OPTIONS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:-UseDynamicNumberOfCompilerThreads",
            "-XX:-UsePerfData",
            "-Xshare:auto",
            "-Xlog:os+thread=off",
            "-Xmx256m");

    private static String usualLimit;

    private final RedisServer server;

    RefusedThreadsTest(RedisServer server) {
        this.server = server;
    }

    @BeforeAll
    static void requireLimits() throws InterruptedException {
        try {
            usualLimit = callAsLimitedUser("prlimit", "--nproc", "--output=SOFT", "--noheadings");
        } catch (IOException ex) {
            Remarks.say("RefusedThreadsTest is skipped: " + ex.getMessage());
            abort(ex.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CONFIRMATIONS")
    @Tag("full")
    void shouldDoNoLastingDamageTo(RefusedThreadsWorker.Subject subject) throws Exception {
        run(subject, this.server);
    }

    @Test
    void shouldDoNoLastingDamageToConfirmations() throws Exception {
        try (MasterWithReplicas servers = new MasterWithReplicas(1)) {
            run(RefusedThreadsWorker.Subject.CONFIRMATIONS, servers.master());
        }
    }

    private static void run(RefusedThreadsWorker.Subject subject, RedisServer server) throws Exception {
        List<String> line = new ArrayList<>(asLimitedUser());
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(OPTIONS);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), RefusedThreadsWorker.class.getName()));
        line.addAll(List.of(Integer.toString(server.port()), subject.name()));
        Process worker = new ProcessBuilder(line).redirectErrorStream(true).start();
        try {
            List<String> output = serve(worker, server);
            assertThat(output).last().as(() -> String.join("\n", output)).isEqualTo(RefusedThreadsWorker.DONE);
        } finally {
            worker.destroyForcibly();
            server.resume();
        }
    }

    /** Does what the process requests, until it ends, and returns what else it has printed. */
    private static List<String> serve(Process worker, RedisServer server) throws Exception {
        List<String> output = new ArrayList<>();
        try (BufferedReader requests = worker.inputReader(StandardCharsets.UTF_8);
                PrintStream replies = new PrintStream(worker.getOutputStream(), true, StandardCharsets.UTF_8)) {
            for (String request = requests.readLine(); request != null; request = requests.readLine()) {
                switch (request) {
                    case RefusedThreadsWorker.REFUSE -> limitThreads(worker, "1");
                    case RefusedThreadsWorker.ALLOW -> limitThreads(worker, usualLimit);
                    case RefusedThreadsWorker.PAUSE_REDIS -> server.pause();
                    case RefusedThreadsWorker.RESUME_REDIS -> server.resume();
                    default -> {
                        output.add(request);
                        continue;
                    }
                }
                replies.println();
            }
        }
        return output;
    }

    /** Threads that run are not affected; only the soft limit is set, which any user may raise again. */
    private static void limitThreads(Process worker, String limit) throws Exception {
        callAsLimitedUser("prlimit", "--pid=" + worker.pid(), "--nproc=" + limit + ':');
    }

    private static List<String> asLimitedUser() {
        return System.getProperty("user.name").equals("root") ? AS_ANOTHER_USER : List.of();
    }

    private static String callAsLimitedUser(String... command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(asLimitedUser());
        line.addAll(List.of(command));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(line + ": " + output);
        }
        return output.strip();
    }
}
