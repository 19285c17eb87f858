package io.github.lockstarter.backing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.testsupport.RedisCli;
import java.io.IOException;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Joins as instances do, which need no more of a service than this. */
class BackingProcessTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private TestBacking backing;

    @BeforeEach
    void choosePorts(@TempDir Path directory) {
        backing = new TestBacking(directory);
    }

    @AfterEach
    void end() {
        backing.close();
    }

    @Test
    void startsOnceForAllInstancesAndEndsAfterTheLast() throws Exception {
        CompletableFuture<Socket> other = CompletableFuture.supplyAsync(this::join);
        Socket first = join();
        Socket second = other.get(30, TimeUnit.SECONDS);
        assertThat(backing.processes()).hasSize(1);

        first.close();
        ProcessHandle process = backing.processes().get(0);
        assertThat(process.onExit()).as("one instance is left").failsWithin(Duration.ofSeconds(4));

        second.close();
        backing.awaitEnd();
    }

    @Test
    void keepsRedisInMemoryAndEverythingOnTheLoopbackInterface() throws IOException {
        try (Socket services = join();
                RedisCli cli = RedisCli.connect(backing.redisPort())) {
            assertThat(cli.command("CONFIG", "GET", "save")).asString().isEqualTo("[save, ]");
            assertThat(cli.command("CONFIG", "GET", "appendonly")).asString().isEqualTo("[appendonly, no]");
            for (int port : backing.ports()) {
                assertThat(NetworkInterface.networkInterfaces()
                                .flatMap(NetworkInterface::inetAddresses)
                                .filter(address -> TestBacking.accepts(address, port)))
                        .containsExactly(TestBacking.loopback());
            }
        }
    }

    @Test
    void startsRedisAgain() throws IOException {
        try (Socket services = join()) {
            ProcessHandle redis = redis();
            redis.destroyForcibly();
            await().atMost(LIMIT).until(() -> !redis.isAlive());

            await().atMost(LIMIT).until(() -> TestBacking.accepts(TestBacking.loopback(), backing.redisPort()));
            assertThat(redis()).isNotEqualTo(redis);
        }
    }

    @Test
    void leavesNothingBehindWhenItIsKilled() throws IOException {
        try (Socket services = join()) {
            Path redisDirectory = redisDirectory();

            backing.processes().get(0).destroyForcibly();

            backing.awaitEnd();
            await().atMost(LIMIT).until(() -> Files.notExists(redisDirectory));
        }
        try (Socket services = join()) {
            assertThat(backing.processes()).hasSize(1);
        }
    }

    @Test
    void namesTheTakenPortOfAService() throws IOException {
        assertThatIsRefused("redis-port", backing.properties().redisPort());
        assertThatIsRefused("database-port", backing.properties().databasePort());
    }

    private void assertThatIsRefused(String property, int port) throws IOException {
        try (ServerSocket other = new ServerSocket(port, 1, TestBacking.loopback())) {
            assertThatNames(property, other.getLocalPort());
        }
    }

    @Test
    void runsNoRedisForAnInstanceThatHasOne() throws IOException {
        try (Socket services = BackingConnection.open(backing.properties().without(true, false))) {
            assertThat(TestBacking.accepts(TestBacking.loopback(), backing.redisPort()))
                    .isFalse();

            assertThatIllegalStateException().isThrownBy(this::join).withMessageContaining("same options");
        }
    }

    @Test
    void namesItsOwnPortIfAnotherProgramAnswers() throws IOException {
        int port = backing.properties().port();
        try (ServerSocket other = new ServerSocket(port, 1, TestBacking.loopback())) {
            CompletableFuture<Void> greeting = CompletableFuture.runAsync(() -> greet(other));
            assertThatNames("port", port);
            assertThat(greeting).succeedsWithin(LIMIT);
        }
    }

    private static void greet(ServerSocket server) {
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write("220 mail.example.org\r\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void assertThatNames(String property, int port) {
        assertThatIllegalStateException()
                .isThrownBy(this::join)
                .withMessageContainingAll("sample.backing." + property, Integer.toString(port));
    }

    private Socket join() {
        return BackingConnection.open(backing.properties());
    }

    private ProcessHandle redis() {
        try (RedisCli cli = RedisCli.connect(backing.redisPort())) {
            String pid = String.valueOf(cli.command("INFO", "server"))
                    .lines()
                    .filter(line -> line.startsWith("process_id:"))
                    .map(line -> line.substring("process_id:".length()).strip())
                    .findFirst()
                    .orElseThrow();
            return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
        }
    }

    private Path redisDirectory() {
        try (RedisCli cli = RedisCli.connect(backing.redisPort())) {
            Path directory = Path.of(
                    ((List<?>) cli.command("CONFIG", "GET", "dir")).get(1).toString());
            assertThat(directory).exists();
            return directory;
        }
    }
}
