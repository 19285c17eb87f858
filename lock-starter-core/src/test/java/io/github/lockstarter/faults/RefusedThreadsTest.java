package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.MasterWithReplicas;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.WaitingLine;
import io.github.lockstarter.testsupport.RedisCli;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * For a moment, the system gives a process no more threads. Whatever it does in that moment may fail; after it,
 * everything works again. The limit is that of {@code ulimit -u}, which another process sets and lifts while a JVM of
 * its own runs. The superuser has no such limit, so that a test that runs as root starts this JVM as another user.
 */
@Tag("redis")
@Timeout(240)
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

    private static final String REFUSE = "refuse-threads";

    private static final String ALLOW = "allow-threads";

    private static final String DONE = "done";

    private static String usualLimit;

    @BeforeAll
    static void requireLimits() throws InterruptedException {
        try {
            usualLimit = callAsLimitedUser("prlimit", "--nproc", "--output=SOFT", "--noheadings");
        } catch (IOException ex) {
            Remarks.say("RefusedThreadsTest is skipped: " + ex.getMessage());
            abort(ex.getMessage());
        }
    }

    @Test
    void shouldDoNoLastingDamage() throws Exception {
        List<String> line = new ArrayList<>(asLimitedUser());
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(OPTIONS);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName()));
        try (MasterWithReplicas servers = new MasterWithReplicas(1)) {
            line.add(Integer.toString(servers.master().port()));
            Process worker = new ProcessBuilder(line).redirectErrorStream(true).start();
            try {
                List<String> output = serve(worker);
                assertThat(output).last().as(() -> String.join("\n", output)).isEqualTo(DONE);
            } finally {
                worker.destroyForcibly();
            }
        }
    }

    /** Limits the threads of the process at its request, until it ends, and returns what else it has printed. */
    private static List<String> serve(Process worker) throws Exception {
        List<String> output = new ArrayList<>();
        try (BufferedReader requests = worker.inputReader(StandardCharsets.UTF_8);
                PrintStream replies = new PrintStream(worker.getOutputStream(), true, StandardCharsets.UTF_8)) {
            for (String request = requests.readLine(); request != null; request = requests.readLine()) {
                if (request.equals(REFUSE) || request.equals(ALLOW)) {
                    limitThreads(worker, request.equals(REFUSE) ? "1" : usualLimit);
                    replies.println();
                } else {
                    output.add(request);
                }
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

    /**
     * A process whose threads are limited for a moment, at its request: a line of its output, which is answered by an
     * empty line. Its last line is {@link #DONE} if nothing was wrong after the moment.
     */
    static final class Worker {

        /** What is possible, is possible within this time after the moment. */
        private static final Duration SOON = Duration.ofSeconds(20);

        private static final Duration LONG = Duration.ofMinutes(1);

        private static final BufferedReader REPLIES =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

        private final Instances instances = new Instances();

        private final int port;

        private final RedisCli redis;

        private Worker(int port) {
            this.port = port;
            this.redis = RedisCli.connect(port, LONG);
        }

        public static void main(String[] arguments) {
            try {
                new Worker(Integer.parseInt(arguments[0])).run();
                System.out.println(DONE);
            } catch (Throwable ex) {
                ex.printStackTrace(System.out);
            }
            // Whatever may hang now is not the subject.
            Runtime.getRuntime().halt(0);
        }

        private void run() throws Exception {
            Instance owner = instance(setup -> setup.lease(LONG));
            Instance waiting = instance(setup -> setup.lease(LONG).waitTime(LONG));
            Instance holding = instance(setup -> setup.lease(Duration.ofSeconds(6), Duration.ofMillis(500)));
            Instance confirming = instance(setup -> setup.lease(LONG).confirmReplicas(1));
            Instance fresh = instance(setup -> setup.lease(Duration.ofSeconds(6), Duration.ofMillis(500)));
            assertThatAllAreUsable(confirming, "confirmed");
            Lease first = owner.acquire("waiting");
            Lease second = owner.acquire("cancelled");
            CompletableFuture<Lease> cancelled = waiting.waitFor("cancelled");
            soon().until(() -> waiting.waiting() == 1);
            Lease kept = holding.acquire("kept");
            Lease deleted = holding.acquire("deleted");
            Lease later = holding.acquire("later");
            Lease ending = holding.registry().acquire(LockRequest.of("ending").withLease(Duration.ofSeconds(2)));
            // The thread that has opened the connection would open the next one.
            within(SOON)
                    .until(() -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().startsWith("lock-confirm")));

            request(REFUSE);
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> new Thread(() -> {}).start());
            CompletableFuture<Lease> awaited = attempt(() -> waiting.waitFor("waiting"));
            cancelled.cancel(false);
            Lease free = attempt(() -> fresh.acquire("free"));
            attemptAndRelease(fresh, "waiting");
            CompletableFuture<Boolean> released =
                    attempt(() -> later.releaseAsync().toCompletableFuture());
            this.redis.command("DEL", "lock:{deleted}");
            killConfirmingConnection();
            // The first ones may still use the connection that is broken.
            for (int i = 0; i < 3; i++) {
                attemptAndRelease(confirming, "during");
            }
            within(SOON).until(() -> !this.redis.exists("lock:{ending}"));
            request(ALLOW);
            new Thread(() -> {}).start();

            assertThat(ending.lost().toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .isEqualTo(LossReason.EXPIRED);
            assertThat(deleted.lost().toCompletableFuture().get(20, TimeUnit.SECONDS))
                    .isNotNull();
            within(SOON).until(() -> holding.events().count(LockLostEvent.class) == 2);
            assertThatItIsRenewed(holding, kept);
            assertThat(later.isHeld()).isFalse();
            first.release();
            second.release();
            kept.release();
            if (awaited != null) {
                within(SOON).until(awaited::isDone);
                CompletableFuture<Void> unused = awaited.thenAccept(Lease::release);
            }
            if (released != null) {
                within(SOON).until(released::isDone);
            }
            if (free != null) {
                assertThatItIsRenewed(fresh, free);
                free.release();
            }
            for (Instance each : List.of(owner, waiting, holding, confirming, fresh)) {
                assertThatAllAreUsable(each, "waiting", "cancelled", "kept", "later", "free", "during");
            }
            // It has a place in the line, without which it would poll twice a minute.
            Lease held = owner.acquire("message");
            CompletableFuture<Lease> next = fresh.waitFor("message");
            within(SOON)
                    .until(() -> WaitingLine.of(this.redis, "lock:{message}").size() == 1);
            held.release();
            assertThat(next.get(20, TimeUnit.SECONDS).release()).isTrue();
        }

        private void killConfirmingConnection() {
            String connection = String.valueOf(this.redis.command("CLIENT", "LIST", "TYPE", "normal"))
                    .lines()
                    .filter(line -> line.contains(" cmd=wait "))
                    .findFirst()
                    .orElseThrow();
            this.redis.command("CLIENT", "KILL", "ID", connection.replaceFirst("^id=(\\d+) .*", "$1"));
        }

        private Instance instance(UnaryOperator<Setup> setup) {
            return this.instances.at(
                    this.port,
                    each -> setup.apply(each.lease(Duration.ofMillis(1500)).pollInterval(Duration.ofSeconds(30))));
        }

        /** Does something in the moment, which may succeed or fail in any way; null: it has failed. */
        private static <T> T attempt(Callable<T> action) {
            try {
                return action.call();
            } catch (Throwable ex) {
                System.out.println("In that moment: " + ex);
                return null;
            }
        }

        private static void attemptAndRelease(Instance instance, String name) {
            LockRequest request = LockRequest.of(name).withWaitTime(Duration.ofMillis(300));
            Object unused =
                    attempt(() -> instance.registry().tryAcquire(request).map(Lease::release));
        }

        private static void request(String what) throws IOException {
            System.out.println(what);
            if (REPLIES.readLine() == null) {
                throw new IOException("The test has ended.");
            }
        }

        private static void assertThatItIsRenewed(Instance instance, Lease lease) {
            long before = instance.events().count(LockRenewedEvent.class, lease.name());
            within(SOON).until(() -> instance.events().count(LockRenewedEvent.class, lease.name()) > before + 1);
            assertThat(lease.isHeld()).isTrue();
        }

        /** In each way, when what the moment has left has expired; and nothing is left in this JVM. */
        private static void assertThatAllAreUsable(Instance instance, String... names) throws Exception {
            for (String name : names) {
                LockRequest request = LockRequest.of(name).withWaitTime(SOON);
                Lease first = instance.registry().acquire(request);
                assertThat(first.isHeld()).isTrue();
                assertThat(first.release()).isTrue();
                CompletableFuture<Lease> future =
                        instance.registry().acquireAsync(request).toCompletableFuture();
                Lease second = future.get(SOON.toMillis() * 2, TimeUnit.MILLISECONDS);
                assertThat(second.releaseAsync().toCompletableFuture().get(SOON.toMillis(), TimeUnit.MILLISECONDS))
                        .isTrue();
            }
            within(SOON).untilAsserted(() -> {
                assertThat(instance.active()).as("leases that are live").isZero();
                assertThat(instance.waiting()).as("waits").isZero();
            });
        }
    }
}
