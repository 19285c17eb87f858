package io.github.lockstarter.backing;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Redis that keeps nothing on disk, is started again some seconds after it ended, and never outlives this JVM. */
final class RedisProcess {

    private static final Logger log = LoggerFactory.getLogger(RedisProcess.class);

    /** Long enough to watch what instances do without Redis. */
    private static final int RESTART_SECONDS = 5;

    private RedisProcess() {}

    /** Starts Redis, and returns its description when it accepts connections. */
    static String start(int port) throws IOException {
        Path directory = Files.createTempDirectory("sample-redis-");
        RedisBinary binary = RedisBinary.installed()
                .or(() -> RedisBinary.embeddedIn(directory))
                .orElseThrow(() -> new IllegalStateException("There is no redis-server for this system: set "
                        + RedisBinary.VARIABLE + " to the path of one, or spring.data.redis.host"));
        List<String> command = new ArrayList<>(List.of(binary.path().toString(), "--save", ""));
        String options = "--port %d --bind %s --dir %s".formatted(port, BackingProperties.HOST, directory);
        command.addAll(List.of(options.split(" ")));
        Process redis = launch(command, directory);
        while (!accepts(port)) {
            if (!redis.isAlive()) {
                throw new IllegalStateException("redis-server ended with code " + redis.exitValue());
            }
        }
        return "%s (%s: %s) on port %d, nothing on disk".formatted(binary.name(), binary.origin(), binary.path(), port);
    }

    private static Process launch(List<String> command, Path directory) {
        try {
            Process redis = new ProcessBuilder(command).inheritIO().start();
            ProcessFaults.endWithThisJvm(redis, directory);
            CompletableFuture<Void> unused = redis.onExit().thenRun(() -> {
                log.warn("Redis has ended, and is started again in {} seconds", RESTART_SECONDS);
                CompletableFuture.delayedExecutor(RESTART_SECONDS, SECONDS).execute(() -> launch(command, directory));
            });
            return redis;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean accepts(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (ConnectException e) {
            return false;
        }
    }
}
