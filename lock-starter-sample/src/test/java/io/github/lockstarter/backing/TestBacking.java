package io.github.lockstarter.backing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A backing process with ports and a directory of its own; killed at the end. */
public final class TestBacking implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Pattern STARTED = Pattern.compile("Process (\\d+), .*: ready");

    private final BackingProperties properties;

    public TestBacking(Path directory) {
        List<Integer> ports = freePorts();
        this.properties =
                new BackingProperties(ports.get(0), ports.get(1), ports.get(2), directory, Duration.ofSeconds(2));
    }

    public String[] options() {
        return new String[] {
            "--sample.backing.port=" + properties.port(),
            "--sample.backing.redis-port=" + properties.redisPort(),
            "--sample.backing.database-port=" + properties.databasePort(),
            "--sample.backing.directory=" + properties.directory(),
            "--sample.backing.idle-timeout=" + properties.idleTimeout()
        };
    }

    static InetAddress loopback() {
        return InetAddress.getLoopbackAddress();
    }

    static boolean accepts(InetAddress address, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, port), 500);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    BackingProperties properties() {
        return properties;
    }

    public int redisPort() {
        return properties.redisPort();
    }

    List<Integer> ports() {
        return List.of(properties.port(), properties.redisPort(), properties.databasePort());
    }

    /** The processes that have started the services. */
    public List<ProcessHandle> processes() {
        if (!Files.exists(properties.log())) {
            return List.of();
        }
        try (Stream<String> lines = Files.lines(properties.log())) {
            return lines.map(STARTED::matcher)
                    .filter(matcher -> matcher.find())
                    .flatMap(matcher -> ProcessHandle.of(Long.parseLong(matcher.group(1))).stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until neither the process nor one of its services is left. */
    public void awaitEnd() {
        await().atMost(LIMIT).untilAsserted(() -> assertThat(ports()).noneMatch(port -> accepts(loopback(), port)));
        await().atMost(LIMIT).until(() -> processes().isEmpty());
    }

    @Override
    public void close() {
        processes().forEach(ProcessHandle::destroyForcibly);
        awaitEnd();
    }

    private static List<Integer> freePorts() {
        try (ServerSocket first = new ServerSocket(0, 1, loopback());
                ServerSocket second = new ServerSocket(0, 1, loopback());
                ServerSocket third = new ServerSocket(0, 1, loopback())) {
            return List.of(first.getLocalPort(), second.getLocalPort(), third.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
