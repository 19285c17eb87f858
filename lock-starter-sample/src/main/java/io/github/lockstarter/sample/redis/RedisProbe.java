package io.github.lockstarter.sample.redis;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Asks a Redis something before there is a client for it. */
final class RedisProbe {

    private static final int TIMEOUT_MILLIS = 1_000;

    private RedisProbe() {}

    /**
     * Whether somebody answers a PING at {@code host:port}. An error counts, for a Redis may want a password first, and
     * so does silence: a Redis that is busy or frozen is still the one that others use.
     */
    static boolean isAlive(String node) {
        int colon = node.lastIndexOf(':');
        try {
            String answer = ask(node.substring(0, colon), Integer.parseInt(node.substring(colon + 1)), "PING");
            return !answer.isEmpty();
        } catch (SocketTimeoutException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * The id of the process that answers at this port of the loopback interface; empty if it is no Redis, or none yet.
     */
    static Optional<String> processId(int port) {
        try {
            return ask(EmbeddedRedis.HOST, port, "INFO server")
                    .lines()
                    .filter(line -> line.startsWith("process_id:"))
                    .map(line -> line.substring("process_id:".length()))
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static String ask(String host, int port, String command) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            OutputStream out = socket.getOutputStream();
            out.write((command + "\r\nQUIT\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
