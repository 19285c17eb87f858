package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisCli;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The clock is set by which Redis lets keys expire, and from which it makes tokens: by a small library that is compiled
 * here and loaded before all others. That needs a C compiler and a redis-server of this system that is linked dynamically; the one
 * of the tests' dependency is not.
 */
@Tag("redis")
class ServerClockTest {

    private static final String KEY = "lock:{timed}";

    @TempDir
    private static Path directory;

    private static Process process;

    private static int port;

    private static MappedByteBuffer shift;

    @AutoClose
    private final Instances instances = new Instances();

    private RedisCli redis;

    private Instance instance;

    private Instance other;

    @BeforeAll
    static void startServer() throws Exception {
        String server = System.getProperty("lock.test.redis.bin", System.getenv("REDIS_SERVER_BIN"));
        try {
            Files.copy(
                    Objects.requireNonNull(ServerClockTest.class.getResourceAsStream("clock-shift.c")),
                    directory.resolve("clock-shift.c"));
            Process compiler = start("cc", "-shared", "-fPIC", "-O1", "-o", "clock-shift.so", "clock-shift.c")
                    .start();
            requireThat(compiler.waitFor() == 0, "a C compiler that cannot make the library");
            try (FileChannel file = FileChannel.open(
                    directory.resolve("shift"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE)) {
                shift = file.map(MapMode.READ_WRITE, 0, Long.BYTES);
            }
            shift.order(ByteOrder.nativeOrder()).putLong(0, 0);
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            ProcessBuilder redis = start(
                    server != null && !server.isBlank() ? server : "redis-server",
                    "--port",
                    Integer.toString(port),
                    "--bind",
                    "127.0.0.1",
                    "--save",
                    "");
            redis.environment()
                    .put("LD_PRELOAD", directory.resolve("clock-shift.so").toString());
            redis.environment().put("CLOCK_SHIFT", directory.resolve("shift").toString());
            process = redis.start();
        } catch (IOException ex) {
            requireThat(false, String.valueOf(ex.getMessage()));
        }
        // should this JVM be ended before
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "redis-at-exit"));
        soon().ignoreExceptions().until(() -> seconds() > 0);
        shift(Duration.ofHours(1));
        // A server that is linked statically takes no notice of the library, and Valkey 9 reads the clock once a
        // millisecond.
        long moved = System.currentTimeMillis() / 1000 + 1800;
        long end = System.nanoTime() + Duration.ofSeconds(1).toNanos();
        while (seconds() < moved && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        requireThat(seconds() >= moved, "only a redis-server that is linked statically");
    }

    private static ProcessBuilder start(String... line) {
        return new ProcessBuilder(line)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.log").toFile());
    }

    private static void requireThat(boolean condition, String missing) {
        if (!condition) {
            Remarks.say("ServerClockTest is skipped: " + missing);
            abort(missing);
        }
    }

    private static long seconds() {
        try (RedisCli cli = RedisCli.connect(port)) {
            List<?> time = (List<?>) Objects.requireNonNull(cli.command("TIME"));
            return Long.parseLong((String) time.get(0));
        }
    }

    /** Sets its clock, to that time before or after the real one. */
    private static void shift(Duration time) {
        shift.putLong(0, TimeUnit.NANOSECONDS.toMicros(time.toNanos()));
    }

    @AfterAll
    static void stopServer() throws InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }

    @BeforeEach
    void setRight() {
        shift(Duration.ZERO);
        this.redis = RedisCli.connect(port);
        this.redis.flushall();
        this.instance = this.instances.at(port, Setup::calm);
        this.other = this.instances.at(port, Setup::calm);
    }

    @AfterEach
    void disconnect() {
        this.redis.close();
    }

    /** Leases of twelve seconds have a margin of more than one. */
    @Test
    void shouldNotMindAStepWithinTheMargin() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("timed"));

        shift(Duration.ofSeconds(1));

        assertThat(this.other.lock("timed").tryLock()).isFalse();
        awaitRenewals(3);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(this.instance.events().count(LockAtRiskEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
    }

    /** Nobody can promise exclusion then. */
    @Test
    void shouldTellTheOwnerAtItsNextRenewalAfterALargeStepForward() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("timed"));
        shift(Duration.ofMinutes(1));

        Lease successor = this.other.registry().acquire(LockRequest.of("timed").withWaitTime(LIMIT));

        assertThat(successor.fencingToken()).as("in order all the same").isGreaterThan(lease.fencingToken());
        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
                .isIn(LossReason.TAKEN_OVER, LossReason.DELETED);
        assertThat(lease.release()).isFalse();
        assertThat(this.redis.hgetall(KEY)).containsEntry("f", Long.toString(successor.fencingToken()));
        assertThat(successor.release()).isTrue();
    }

    @Test
    void shouldKeepLockAndOrderAfterAStepBack() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("timed"));
        Call<Lease> waiter = Call.start(
                () -> this.other.registry().acquire(LockRequest.of("timed").withWaitTime(LIMIT)));
        WaitingLine.awaitLength(this.redis, KEY, 1);

        shift(Duration.ofMinutes(-1));

        awaitRenewals(3);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(waiter.isDone()).isFalse();
        assertThat(lease.release()).isTrue();
        Lease successor = waiter.result();
        assertThat(successor.fencingToken())
                .as("its last one was later than now")
                .isGreaterThan(lease.fencingToken());
        assertThat(successor.release()).isTrue();
        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
    }

    private void awaitRenewals(int count) {
        long renewed = this.instance.events().count(LockRenewedEvent.class);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) >= renewed + count);
    }
}
