package io.github.lockstarter.sample.redis;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A shell that starts Redis and watches over it from outside of this JVM.
 *
 * <p>It waits for the end of its input, which comes when this JVM closes it, or ends in whatever way, {@code kill -9}
 * included; then it ends Redis and removes its directory. Redis runs as a daemon, in a process group of its own,
 * because Ctrl-C in a terminal goes to all processes at once, and the locks are needed until the last request is done.
 */
final class RedisGuardian {

    /** Stands in the output if the program could not be started. */
    static final String FAILED = "redis-server has failed";

    private static final String SCRIPT = """
            trap '' INT TERM HUP
            "$@" || echo "%s"
            read -r _
            [ -s "$0/redis.pid" ] || sleep 1
            kill -9 "$(cat "$0/redis.pid")"
            rm -rf "$0"
            """.formatted(FAILED);

    private RedisGuardian() {}

    static Process launch(Path directory, Path binary, int port) throws IOException {
        List<String> line = new ArrayList<>(List.of("sh", "-c", SCRIPT, directory.toString(), binary.toString()));
        line.addAll(List.of("--port", Integer.toString(port), "--bind", EmbeddedRedis.HOST));
        line.addAll(List.of("--save", "", "--appendonly", "no", "--dir", directory.toString()));
        line.addAll(List.of("--daemonize", "yes"));
        line.addAll(List.of("--pidfile", directory.resolve("redis.pid").toString()));
        line.addAll(List.of("--logfile", log(directory).toString()));
        return new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(log(directory).toFile()))
                .start();
    }

    /** The process id of Redis, once it runs. */
    static Optional<String> pid(Path directory) throws IOException {
        Path file = directory.resolve("redis.pid");
        return Files.exists(file) ? Files.readString(file).lines().findFirst() : Optional.empty();
    }

    static String output(Path directory) throws IOException {
        return Files.readString(log(directory));
    }

    private static Path log(Path directory) {
        return directory.resolve("redis.log");
    }
}
