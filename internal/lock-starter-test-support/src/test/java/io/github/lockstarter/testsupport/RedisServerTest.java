package io.github.lockstarter.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.backing.RedisBinary;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RedisServerTest {

    @Test
    void answersWithItsOptionsAndWithoutPersistence() {
        try (RedisServer server = RedisServer.start("--maxmemory", "10mb");
                RedisCli cli = server.cli()) {
            assertThat(cli.command("PING")).isEqualTo("PONG");
            assertThat(cli.command("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "10485760"));
            assertThat(cli.command("CONFIG", "GET", "save")).isEqualTo(List.of("save", ""));
            assertThat(cli.command("CONFIG", "GET", "bind")).isEqualTo(List.of("bind", "127.0.0.1"));
            assertThat(cli.command("DEBUG", "SLEEP", "0")).isEqualTo("OK");
        }
    }

    @Test
    void theBinaryOfTheDependencyWorksHere() {
        Optional<RedisBinary> binary = RedisBinary.embedded();
        assertThat(binary).isPresent();
        LocalRedis redis = new LocalRedis(binary.orElseThrow(), List.of());
        redis.start();
        try (RedisCli cli = RedisCli.connect(redis.port())) {
            assertThat(cli.info("server")).contains("redis_version:7.0.15");
        } finally {
            redis.remove();
        }
        assertThat(redis.isRunning()).isFalse();
    }

    @Test
    void aKilledServerRefusesAndComesBackEmptyOnItsPort() {
        try (RedisServer server = RedisServer.start()) {
            int port = server.port();
            long pid = server.pid();
            try (RedisCli cli = server.cli()) {
                cli.command("SET", "key", "value");
                server.kill();
                assertThat(server.isRunning()).isFalse();
                assertThatThrownBy(() -> cli.command("PING")).isInstanceOf(UncheckedIOException.class);
            }
            assertThatThrownBy(server::cli).hasCauseInstanceOf(ConnectException.class);

            server.restart();
            assertThat(server.port()).isEqualTo(port);
            assertThat(server.pid()).isNotEqualTo(pid);
            try (RedisCli cli = server.cli()) {
                assertThat(cli.exists("key")).isFalse();
            }
        }
    }

    @Test
    void aServerThatKeepsAFileComesBackWithItsKeys() {
        try (RedisServer server = RedisServer.start("--appendonly", "yes", "--appendfsync", "always")) {
            try (RedisCli cli = server.cli()) {
                cli.command("SET", "key", "value");
            }
            server.restart();
            try (RedisCli cli = server.cli()) {
                assertThat(cli.get("key")).isEqualTo("value");
            }
        }
    }

    @Test
    void aPausedServerIsSilentAndGoesOnAfterwards() {
        try (RedisServer server = RedisServer.start()) {
            server.pause();
            assertThat(server.isPaused()).isTrue();
            assertThat(server.isRunning()).isTrue();
            try (RedisCli impatient = server.cli(Duration.ofMillis(200));
                    RedisCli patient = server.cli()) {
                assertThatThrownBy(() -> impatient.command("PING")).hasCauseInstanceOf(SocketTimeoutException.class);
                patient.send("INCR", "counter");

                server.resume();
                assertThat(patient.read()).isEqualTo(1L);
            }
        }
    }

    @Test
    void aPausedServerCanBeStoppedAndKilled() {
        try (RedisServer server = RedisServer.start()) {
            server.pause();
            server.stop();
            assertThat(server.isRunning()).isFalse();

            server.restart();
            server.pause();
            server.kill();
            assertThat(server.isRunning()).isFalse();
            assertThat(server.isPaused()).isFalse();
        }
    }

    @Test
    void closingLeavesNothingBehind() {
        RedisServer server = RedisServer.start();
        ProcessHandle process = ProcessHandle.of(server.pid()).orElseThrow();
        Path directory;
        try (RedisCli cli = server.cli()) {
            directory = Path.of(
                    ((List<?>) cli.command("CONFIG", "GET", "dir")).get(1).toString());
        }
        assertThat(directory).isDirectory();

        server.close();
        assertThat(process.isAlive()).isFalse();
        assertThat(directory).doesNotExist();
        assertThatIllegalStateException().isThrownBy(server::restart);
    }

    /** Starts a server and ends without closing it. */
    static final class Careless {

        private Careless() {}

        public static void main(String[] arguments) {
            RedisServer server = RedisServer.start();
            System.out.println("pid " + server.pid());
            System.exit(0);
        }
    }

    @Test
    void itEndsWithTheJvmThatStartedIt() throws InterruptedException {
        Duration limit = Duration.ofSeconds(20);
        try (WorkerJvm worker = WorkerJvm.start(Careless.class)) {
            String line = worker.awaitLine(each -> each.startsWith("pid "), limit);
            assertThat(worker.awaitExit(limit)).isZero();
            assertThat(ProcessHandle.of(Long.parseLong(line.substring("pid ".length()))))
                    .isEmpty();
        }
    }

    @Test
    void aServerThatDoesNotStartSaysWhy() {
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisServer.start("--no-such-option", "1"))
                .withMessageContaining("no-such-option");
    }
}
