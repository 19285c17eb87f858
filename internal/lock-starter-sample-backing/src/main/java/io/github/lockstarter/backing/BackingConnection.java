package io.github.lockstarter.backing;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of an instance to the {@link BackingProcess}. It shows the process that the instance lives: the
 * operating system closes it, however the instance ends.
 */
final class BackingConnection {

    private static final Logger log = LoggerFactory.getLogger(BackingConnection.class);

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /**
     * Runs a program in a session of its own, so that Ctrl-C in the terminal of the instance does not reach it. macOS
     * has no setsid; there, job control gives the program a process group of its own.
     */
    private static final String DETACHED = "command -v setsid > /dev/null && exec setsid \"$@\"; set -m; \"$@\" & wait";

    /** Runs another main class of an executable jar than the one that its manifest names. */
    private static final String JAR_LAUNCHER = "org.springframework.boot.loader.launch.PropertiesLauncher";

    private BackingConnection() {}

    /** Connects to the process, and launches it first if there is none. */
    static Socket open(BackingProperties properties) {
        try {
            Process launched = null;
            long start = System.nanoTime();
            while (System.nanoTime() - start < LIMIT.toNanos()) {
                Socket connection = connect(properties);
                if (connection != null) {
                    return connection;
                }
                if (launched == null || !launched.isAlive()) {
                    launched = launch(properties);
                }
                launched.waitFor(50, TimeUnit.MILLISECONDS);
            }
            throw new IllegalStateException("The backing process does not start");
        } catch (IOException | InterruptedException | IllegalStateException e) {
            throw new IllegalStateException("%s. Log: %s".formatted(e.getMessage(), properties.log()), e);
        }
    }

    /** Returns null if no process listens, or one that is about to end. */
    private static @Nullable Socket connect(BackingProperties properties) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), properties.port()));
            socket.setSoTimeout((int) LIMIT.toMillis());
            String answer = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine();
            String problem = answer != null ? properties.problemOf(answer) : null;
            if (problem != null) {
                socket.close();
                throw new IllegalStateException(
                        "Port %d (sample.backing.port): %s".formatted(properties.port(), problem));
            }
            if (answer != null) {
                log.info("Running in the background process: {}", BackingProperties.servicesOf(answer));
                return socket;
            }
        } catch (SocketException e) {
            // refused or reset
        }
        socket.close();
        return null;
    }

    private static Process launch(BackingProperties properties) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", DETACHED, "sh"));
        command.addAll(List.of(System.getProperty("java.home") + "/bin/java", "-Xmx128m", "-XX:TieredStopAtLevel=1"));
        String main = BackingProcess.class.getName();
        String classPath = System.getProperty("java.class.path");
        command.addAll(List.of("-cp", classPath));
        boolean jar = !classPath.contains(File.pathSeparator);
        command.addAll(jar ? List.of("-Dloader.main=" + main, JAR_LAUNCHER) : List.of(main));
        command.addAll(properties.arguments());
        log.info("Starting a background process for all instances. Log: {}", properties.log());
        Files.createDirectories(properties.directory());
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(properties.log().toFile()))
                .start();
    }
}
