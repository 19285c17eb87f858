package io.github.lockstarter.backing;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.h2.tools.Server;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program that runs Redis and a database for all instances on this machine. It belongs to no instance, so that any of
 * them can be killed; it ends some time after the last one.
 */
final class BackingProcess {

    static final String DATABASE = "tickets";

    private static final Logger log = LoggerFactory.getLogger(BackingProcess.class);

    private final List<Socket> instances = new ArrayList<>();
    private final BackingProperties properties;

    private BackingProcess(BackingProperties properties) {
        this.properties = properties;
    }

    /** Runs the program; the arguments come from {@link BackingConnection}. */
    public static void main(String[] arguments) throws IOException {
        BackingProperties properties = BackingProperties.parse(List.of(arguments));
        // Two instances that start at the same time launch two of these: this port decides which one stays. It is never
        // closed, but given up with the end of the JVM, so that the next one finds the other ports free.
        try {
            new BackingProcess(properties).serve(listen(properties.port()));
        } catch (BindException e) {
            log.info("Port {} is taken: another process like this one was faster", properties.port());
        }
    }

    private void serve(ServerSocket door) throws IOException {
        String state = startServices();
        log.info("Process {}, {}: {}", ProcessHandle.current().pid(), properties, state);
        door.setSoTimeout(1000);
        int idleSeconds = 0;
        while (idleSeconds < properties.idleTimeout().toSeconds()) {
            acceptInstance(door, state);
            if (!state.startsWith(properties.readyAnswer()) && !instances.isEmpty()) {
                return; // the instance that launched this process has read why
            }
            instances.removeIf(BackingProcess::isGone);
            idleSeconds = instances.isEmpty() ? idleSeconds + 1 : 0;
        }
        log.info("Ends: no instance is left");
    }

    private String startServices() {
        List<String> services = new ArrayList<>();
        try {
            requireFree(properties.redisPort(), "redis-port");
            requireFree(properties.databasePort(), "database-port");
            if (properties.redisPort() != BackingProperties.NONE) {
                services.add(RedisProcess.start(properties.redisPort()));
            }
            if (properties.databasePort() != BackingProperties.NONE) {
                services.add(startDatabase());
            }
            return properties.readyAnswer() + ' ' + String.join("; ", services);
        } catch (IOException | SQLException | RuntimeException e) {
            log.error("Failed to start", e);
            return String.valueOf(e.getMessage());
        }
    }

    private String startDatabase() throws SQLException {
        System.setProperty("h2.bindAddress", BackingProperties.HOST); // read when the first class of H2 is loaded
        String directory = properties.directory().toAbsolutePath().toString();
        // Creates the database, which the server does not, and keeps it open until the end of the JVM.
        DriverManager.getConnection("jdbc:h2:file:" + directory + "/" + DATABASE);
        String port = Integer.toString(properties.databasePort());
        Server.createTcpServer("-tcpPort", port, "-tcpDaemon", "-baseDir", directory)
                .start();
        return "H2 on port %s, data in %s".formatted(port, directory);
    }

    /** Waits for a second. */
    private void acceptInstance(ServerSocket door, String state) throws IOException {
        try {
            Socket instance = door.accept();
            instances.add(instance);
            instance.setSoTimeout(1);
            instance.getOutputStream().write((state + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (SocketTimeoutException e) {
            // none has come
        }
    }

    /** Instances send nothing: all there is to read is the end of the connection. */
    private static boolean isGone(Socket instance) {
        try {
            return instance.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    }

    private static void requireFree(int port, String property) throws IOException {
        try {
            listen(port).close();
        } catch (BindException e) {
            throw new IllegalStateException("Port %d is taken: set sample.backing.%s".formatted(port, property), e);
        }
    }
}
