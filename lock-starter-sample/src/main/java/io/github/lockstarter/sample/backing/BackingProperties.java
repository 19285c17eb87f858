package io.github.lockstarter.sample.backing;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Properties {@code sample.backing.*}. All ports are on the loopback interface.
 *
 * @param port port of the backing process, to which instances stay connected as long as they live
 * @param redisPort port of its Redis
 * @param databasePort port of its database
 * @param directory directory of the database file and of the log
 * @param idleTimeout time without instances after which the process ends
 */
record BackingProperties(int port, int redisPort, int databasePort, Path directory, Duration idleTimeout) {

    static final String HOST = "127.0.0.1";

    /** Returns the URL with which instances open the database. */
    String databaseUrl() {
        return "jdbc:h2:tcp://%s:%d/%s;LOCK_TIMEOUT=10000".formatted(HOST, databasePort, BackingProcess.DATABASE);
    }

    /** Returns what {@link #parse} takes. */
    List<String> arguments() {
        return List.of("" + port, "" + redisPort, "" + databasePort, "" + directory, "" + idleTimeout);
    }

    static BackingProperties parse(List<String> arguments) {
        return new BackingProperties(
                Integer.parseInt(arguments.get(0)),
                Integer.parseInt(arguments.get(1)),
                Integer.parseInt(arguments.get(2)),
                Path.of(arguments.get(3)),
                Duration.parse(arguments.get(4)));
    }

    Path log() {
        return directory.resolve("backing.log").toAbsolutePath();
    }
}
