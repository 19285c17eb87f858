package io.github.lockstarter.testsupport;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;

/** Ways of getting rid of things. */
final class Closing {

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private Closing() {}

    static void quietly(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException e) {
            // nothing depends on how it ends
        }
    }

    /** Announces the end of the stream to the other side (FIN); what it sends can still be read. */
    static void orderly(Socket socket) {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            // never connected, or over already
        }
    }

    /** Breaks the connection off (RST). */
    static void abruptly(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException e) {
            // over already
        }
        quietly(socket);
    }

    /** Waits for the end of a thread that is about to end. */
    static void join(Thread thread) {
        try {
            thread.join(LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void deleteRecursively(Path directory) {
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
