package io.github.lockstarter.testsupport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports on the loopback interface. They come from below the range that systems use for outgoing connections, so
 * that a port which is given up for a while (a killed server, a proxy that refuses) can be had again.
 */
final class Ports {

    private static final int FIRST = 20_000;
    private static final int END = 32_000;
    private static final int ATTEMPTS = 100;

    private Ports() {}

    static InetAddress loopback() {
        try {
            return InetAddress.getByAddress("127.0.0.1", new byte[] {127, 0, 0, 1});
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    static int free() {
        return freeTogetherWith(0);
    }

    /** A free port; the one that is so much higher is free, too. */
    static int freeTogetherWith(int distance) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END - distance);
            if (isFree(port) && (distance == 0 || isFree(port + distance))) {
                return port;
            }
        }
        throw new IllegalStateException("No free port between " + FIRST + " and " + END);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(loopback(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
