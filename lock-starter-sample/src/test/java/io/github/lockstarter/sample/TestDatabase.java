package io.github.lockstarter.sample;

import java.nio.file.Path;
import java.sql.SQLException;
import org.h2.tools.Server;

/** Databases in the memory of this JVM, to which instances in other JVMs connect as well. */
final class TestDatabase {

    private static final Server SERVER = startServer();

    private TestDatabase() {}

    /** Returns the URL of a database, which is created by the first connection. */
    static String url(Path directory) {
        return "jdbc:h2:tcp://127.0.0.1:%d/mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000"
                .formatted(SERVER.getPort(), directory.toString().replaceAll("\\W", "_"));
    }

    private static Server startServer() {
        System.setProperty("h2.bindAddress", "127.0.0.1");
        try {
            return Server.createTcpServer("-tcpPort", "0", "-tcpDaemon", "-ifNotExists")
                    .start();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
