package io.github.lockstarter.testsupport;

import io.github.lockstarter.backing.RedisBinary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Redis as a process of this machine. */
final class LocalRedis implements RedisBackend {

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final Duration PROBE = Duration.ofMillis(500);
    private static final int PORTS_TO_TRY = 5;

    private final RedisBinary binary;
    private final List<String> options;
    private final Path directory;
    private final @Nullable Path configuration;
    private IntSupplier ports = Ports::free;
    private int port;
    private @Nullable Process process;

    LocalRedis(RedisBinary binary, List<String> options) {
        this(binary, null, options);
    }

    /** With a configuration file, which the server may rewrite as it likes; a sentinel needs one. */
    LocalRedis(RedisBinary binary, @Nullable String configuration, List<String> options) {
        this.binary = binary;
        this.options = options;
        try {
            this.directory = Files.createTempDirectory("redis-");
            this.configuration =
                    configuration == null ? null : Files.writeString(directory.resolve("redis.conf"), configuration);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Takes its port from there the first time. */
    LocalRedis withPortsFrom(IntSupplier ports) {
        this.ports = ports;
        return this;
    }

    @Override
    public void start() {
        int attempts = port == 0 ? PORTS_TO_TRY : 1;
        while (!launch(port == 0 ? ports.getAsInt() : port)) {
            if (--attempts == 0) {
                throw new IllegalStateException("redis-server did not start: " + output());
            }
        }
    }

    /** False if the port was taken. */
    private boolean launch(int candidate) {
        try {
            Files.deleteIfExists(log());
            Process launched = new ProcessBuilder(commandLine(candidate))
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log().toFile())
                    .start();
            process = launched;
            long deadline = System.nanoTime() + LIMIT.toNanos();
            while (!answers(candidate, launched.pid())) {
                if (launched.waitFor(5, TimeUnit.MILLISECONDS)) {
                    if (output().contains("Address already in use")) {
                        return false;
                    }
                    throw new IllegalStateException("redis-server ended: " + output());
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException("redis-server does not answer: " + output());
                }
            }
            port = candidate;
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while Redis starts", e);
        }
    }

    private List<String> commandLine(int candidate) {
        List<String> line = new ArrayList<>();
        line.add(binary.path().toString());
        if (configuration != null) {
            line.add(configuration.toString());
        }
        line.addAll(List.of(
                "--port",
                Integer.toString(candidate),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                directory.toString()));
        if (binary.majorVersion() >= 7) {
            line.addAll(List.of("--enable-debug-command", "local"));
        }
        line.addAll(options);
        return line;
    }

    /**
     * Whether this very process answers, for another one may have taken the port a moment earlier, and has its keys:
     * INFO is answered during loading.
     */
    private static boolean answers(int port, long pid) {
        try (RedisCli cli = RedisCli.connect(port, PROBE)) {
            return cli.info("server").lines().anyMatch(("process_id:" + pid)::equals)
                    && cli.info("persistence").lines().noneMatch("loading:1"::equals);
        } catch (RedisErrorException e) {
            return !String.valueOf(e.getMessage()).startsWith("LOADING");
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public long pid() {
        return process().pid();
    }

    @Override
    public boolean isRunning() {
        return process != null && process.isAlive();
    }

    @Override
    public void stop() {
        Signals.terminate(pid());
        awaitEnd();
    }

    @Override
    public void kill() {
        process().destroyForcibly();
        awaitEnd();
    }

    @Override
    public void pause() {
        Signals.stop(pid());
    }

    @Override
    public void resume() {
        Signals.resume(pid());
    }

    @Override
    public void remove() {
        if (isRunning()) {
            kill();
        }
        Closing.deleteRecursively(directory);
    }

    @Override
    public String describe() {
        return "redis-server " + binary.origin() + ": " + binary.path();
    }

    private void awaitEnd() {
        try {
            if (!process().waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("redis-server does not end: " + output());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while Redis ends", e);
        }
    }

    private Process process() {
        return Objects.requireNonNull(process, "never started");
    }

    private Path log() {
        return directory.resolve("redis.log");
    }

    private String output() {
        try {
            return Files.readString(log());
        } catch (IOException e) {
            return "(no output: " + e + ")";
        }
    }
}
