package io.github.lockstarter.sample.redis;

import io.github.lockstarter.redisbinary.RedisBinary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * A real Redis that belongs to this service: a process that listens on a free port of the loopback interface, keeps
 * nothing on disk, and is gone when the service is.
 */
final class EmbeddedRedis implements AutoCloseable {

    static final String HOST = "127.0.0.1";

    private static final Logger log = LoggerFactory.getLogger(EmbeddedRedis.class);

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int PORTS_TO_TRY = 5;

    private static final String REMEDY =
            "Configure a running Redis: --spring.data.redis.host=..." + " --spring.data.redis.port=...\nor set "
                    + RedisBinary.VARIABLE + " to the path of a redis-server program.";

    private final Path directory;
    private final Process guardian;
    private final int port;

    private EmbeddedRedis(Path directory, Process guardian, int port) {
        this.directory = directory;
        this.guardian = guardian;
        this.port = port;
    }

    static EmbeddedRedis start() {
        try {
            for (int attempt = 1; attempt <= PORTS_TO_TRY; attempt++) {
                EmbeddedRedis redis = launch(freePort());
                if (redis.awaitAnswer()) {
                    log.info(
                            "Redis runs along on port {}. Another instance needs --spring.data.redis.port={}"
                                    + " and a --server.port of its own",
                            redis.port,
                            redis.port);
                    return redis;
                }
                redis.close();
            }
            throw new StartRefusedException("No free port for Redis was found.", "Try again.");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while Redis starts", e);
        }
    }

    private static EmbeddedRedis launch(int port) throws IOException {
        Path directory = Files.createTempDirectory("embedded-redis-");
        try {
            Path binary = binary(directory).path();
            return new EmbeddedRedis(directory, RedisGuardian.launch(directory, binary, port), port);
        } catch (StartRefusedException e) {
            Files.deleteIfExists(directory.resolve("redis-server"));
            Files.delete(directory);
            throw e;
        }
    }

    /** The guardian removes a program that is extracted into its directory, even after this JVM was killed. */
    private static RedisBinary binary(Path directory) {
        try {
            return RedisBinary.installed()
                    .or(() -> RedisBinary.embeddedIn(directory))
                    .orElseThrow(() -> new StartRefusedException(
                            "No Redis is configured, none is installed, and none is bundled for this system.", REMEDY));
        } catch (IllegalStateException | UncheckedIOException e) {
            throw new StartRefusedException("Redis does not start: " + e.getMessage(), REMEDY);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** False if somebody else has taken the port meanwhile. */
    private boolean awaitAnswer() throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (!answers()) {
            String output = RedisGuardian.output(directory);
            if (output.contains("Address already in use")) {
                return false;
            }
            boolean ended = output.contains(RedisGuardian.FAILED) || guardian.waitFor(10, TimeUnit.MILLISECONDS);
            if (ended || System.nanoTime() - start > LIMIT.toNanos()) {
                close();
                throw new StartRefusedException("Redis does not start:\n\n" + output, REMEDY);
            }
        }
        return true;
    }

    /** Whether it is our Redis that answers, and not another one that was given the same port. */
    private boolean answers() throws IOException {
        Optional<String> expected = RedisGuardian.pid(directory);
        return expected.isPresent() && expected.equals(RedisProbe.processId(port));
    }

    int port() {
        return port;
    }

    /** What stands in for {@code spring.data.redis.*}. */
    DataRedisConnectionDetails connectionDetails() {
        return new DataRedisConnectionDetails() {
            @Override
            public Standalone getStandalone() {
                return Standalone.of(HOST, port);
            }
        };
    }

    @Override
    public void close() {
        try {
            guardian.getOutputStream().close();
            if (!guardian.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("Redis on port {} does not end", port);
            }
        } catch (IOException e) {
            log.warn("Redis on port {} does not end", port, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
