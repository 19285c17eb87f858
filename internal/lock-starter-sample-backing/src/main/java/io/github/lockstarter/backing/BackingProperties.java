package io.github.lockstarter.backing;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

    /** Stands for a port that is not needed, because another service of this kind is configured. */
    static final int NONE = 0;

    private static final String READY = "ready";

    /** Returns these properties for an instance that has another Redis, another database, or neither. */
    BackingProperties without(boolean hasRedis, boolean hasDatabase) {
        return new BackingProperties(
                port, hasRedis ? NONE : redisPort, hasDatabase ? NONE : databasePort, directory, idleTimeout);
    }

    /** Returns how a process that runs all of this begins its answer to instances; any other answer is a failure. */
    String readyAnswer() {
        return READY + ' ' + redisPort + ' ' + databasePort;
    }

    /** Returns why a process with that answer is of no use to an instance with these properties; null if it is. */
    @Nullable
    String problemOf(String answer) {
        List<String> words = List.of(answer.split(" ", 4));
        if (!words.get(0).equals(READY)) {
            return answer;
        }
        List<String> runs = words.subList(1, words.size());
        return Stream.of(redisPort, databasePort).allMatch(needed -> needed == NONE || runs.contains("" + needed))
                ? null
                : "this process was launched by an instance with another Redis or database. Start all instances with the"
                        + " same options";
    }

    /** Returns the description of the services in an answer without a {@linkplain #problemOf problem}. */
    static String servicesOf(String answer) {
        return answer.split(" ", 4)[3];
    }

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
