package io.github.lockstarter.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A minimal blocking Redis client, so that a test can look at Redis without the code that it tests. One connection, no
 * reconnecting, not for use by several threads at once.
 */
public final class RedisCli implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Pattern COMMAND_CALLS = Pattern.compile("cmdstat_([^:]+):calls=(\\d+),.*");

    private final Socket socket;
    private final RespReader replies;

    private RedisCli(Socket socket) throws IOException {
        this.socket = socket;
        this.replies = new RespReader(socket.getInputStream());
    }

    /** Connects to a port of this machine; each reply may take five seconds. */
    public static RedisCli connect(int port) {
        return connect(port, TIMEOUT);
    }

    /** Connects to a port of this machine; the connection and each reply may take as long as given. */
    public static RedisCli connect(int port, Duration timeout) {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
            socket.connect(new InetSocketAddress(Ports.loopback(), port), socket.getSoTimeout());
            return new RedisCli(socket);
        } catch (IOException e) {
            Closing.quietly(socket);
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Sends a command and returns its reply: text, {@link Long}, {@link List}, in RESP3 also {@link Double},
     * {@link Boolean} and {@link Map}, or null.
     *
     * @throws RedisErrorException if that is the answer
     * @throws UncheckedIOException if none came in time, or the connection is gone
     */
    public @Nullable Object command(String... command) {
        send(command);
        return read();
    }

    /** Sends a command without reading its reply. */
    public void send(String... command) {
        try {
            socket.getOutputStream().write(RespFrame.command(command));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads the next reply, or the next message of a subscription. */
    public @Nullable Object read() {
        try {
            RespFrame frame = replies.next();
            if (frame == null) {
                throw new UncheckedIOException(new IOException("Connection closed by the server"));
            }
            if (frame.value() instanceof RedisErrorException error) {
                throw error;
            }
            return frame.value();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public @Nullable String get(String key) {
        return (String) command("GET", key);
    }

    public boolean exists(String key) {
        return number("EXISTS", key) == 1;
    }

    /** Seconds left; -1 without expiry, -2 without the key. */
    public long ttl(String key) {
        return number("TTL", key);
    }

    /** Milliseconds left; -1 without expiry, -2 without the key. */
    public long pttl(String key) {
        return number("PTTL", key);
    }

    public Map<String, String> hgetall(String key) {
        List<?> flat = (List<?>) Objects.requireNonNull(command("HGETALL", key));
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < flat.size(); i += 2) {
            fields.put((String) flat.get(i), (String) flat.get(i + 1));
        }
        return fields;
    }

    /** All keys but those that belong to no lock: the descriptions of instances, and the version of the format. */
    public List<String> keys() {
        List<?> all = (List<?>) Objects.requireNonNull(command("KEYS", "*"));
        return all.stream()
                .map(String::valueOf)
                .filter(key -> !key.matches("[^{]*:(instance:[0-9A-Za-z]{11}|format)"))
                .toList();
    }

    public void flushall() {
        command("FLUSHALL");
    }

    public String info(String section) {
        return (String) Objects.requireNonNull(command("INFO", section));
    }

    /**
     * Calls per command since {@code CONFIG RESETSTAT}, those inside scripts included; subcommands as {@code
     * config|set}.
     */
    public Map<String, Long> infoCommandStats() {
        Map<String, Long> calls = new TreeMap<>();
        info("commandstats").lines().map(COMMAND_CALLS::matcher).forEach(line -> {
            if (line.matches()) {
                calls.put(line.group(1), Long.valueOf(line.group(2)));
            }
        });
        return calls;
    }

    @Override
    public void close() {
        Closing.quietly(socket);
    }

    private long number(String... command) {
        return (Long) Objects.requireNonNull(command(command));
    }
}
