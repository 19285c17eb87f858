package io.github.lockstarter.test;

import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.Printable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.springframework.util.FileSystemUtils;

/**
 * A Redis process on loopback, without persistence and passwords, with a directory that is deleted at its end.
 */
final class RedisProcess implements AutoCloseable {

    static final String HOST = "127.0.0.1";

    private static final LockLog LOG = LockLog.of(RedisProcess.class);

    private static final int PORTS_TO_TRY = 5;

    private static final long LIMIT_SECONDS = 20;

    private final Path directory;

    private final Process process;

    private final int port;

    private RedisProcess(Path directory, Process process, int port) {
        this.directory = directory;
        this.process = process;
        this.port = port;
    }

    static RedisProcess start() {
        return start(new RedisProgram(), RedisProcess::freePort);
    }

    static RedisProcess start(RedisProgram program, IntSupplier ports) {
        Path directory = newDirectory();
        try {
            Path file = program.find(directory);
            String output = "";
            // Another process may take a port between the search for it and the start.
            for (int i = 0; i < PORTS_TO_TRY; i++) {
                int port = ports.getAsInt();
                Process process = launch(file, directory, port);
                if (isReady(process, directory)) {
                    LOG.info("Started " + file + " at port " + port + " for tests.");
                    return new RedisProcess(directory, process, port);
                }
                output = output(directory);
            }
            throw new IllegalStateException(Printable.of(file + " did not start for @UseRedisProcess: " + output));
        } catch (RuntimeException ex) {
            delete(directory);
            throw ex;
        }
    }

    private static Process launch(Path program, Path directory, int port) {
        List<String> command = List.of(
                program.toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                HOST,
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                directory.toString());
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log(directory).toFile())
                    .start();
        } catch (IOException ex) {
            throw new UncheckedIOException(Printable.of(program + " cannot be run."), ex);
        }
    }

    /**
     * Waits until the process accepts connections or ends. Its output shows that, and not a connection to the port,
     * which may belong to another process.
     */
    private static boolean isReady(Process process, Path directory) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        boolean ready = false;
        try {
            while (!ready && System.nanoTime() - deadline < 0 && !process.waitFor(5, TimeUnit.MILLISECONDS)) {
                ready = output(directory).contains("Ready to accept connections");
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the Redis of @UseRedisProcess starts.", ex);
        } finally {
            if (!ready) {
                process.destroyForcibly();
            }
        }
        return ready;
    }

    int port() {
        return this.port;
    }

    Process process() {
        return this.process;
    }

    Path directory() {
        return this.directory;
    }

    @Override
    public void close() {
        this.process.destroy();
        try {
            if (!this.process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                this.process.destroyForcibly();
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            this.process.destroyForcibly();
        }
        delete(this.directory);
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            return socket.getLocalPort();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static Path newDirectory() {
        try {
            return Files.createTempDirectory("lock-starter-redis-");
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static void delete(Path directory) {
        try {
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException ex) {
            LOG.debug("Could not delete " + directory + ".", ex);
        }
    }

    private static Path log(Path directory) {
        return directory.resolve("redis.log");
    }

    private static String output(Path directory) {
        try {
            return Files.readString(log(directory));
        } catch (IOException ex) {
            return "";
        }
    }
}
