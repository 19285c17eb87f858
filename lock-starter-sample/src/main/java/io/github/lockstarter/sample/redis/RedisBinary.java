package io.github.lockstarter.sample.redis;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds a redis-server program: the one that is named, the one that is installed, or the one that is bundled. */
final class RedisBinary {

    static final String VARIABLE = "REDIS_SERVER_BIN";

    private RedisBinary() {}

    /**
     * The program to run.
     *
     * @param directory where to put it if it has to be extracted
     */
    static Path locate(Path directory) throws IOException {
        Optional<Path> found = named().or(RedisBinary::installed);
        return found.isPresent() ? found.get() : extract(directory);
    }

    private static Optional<Path> named() {
        return Optional.ofNullable(System.getenv(VARIABLE))
                .filter(name -> !name.isBlank())
                .map(Path::of);
    }

    private static Optional<Path> installed() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Out of org.signal:embedded-redis, which brings binaries for Linux and macOS. */
    private static Path extract(Path directory) throws IOException {
        String platform = system() + "-" + architecture();
        try (InputStream in = RedisBinary.class.getResourceAsStream("/redis-server-7.0.15-" + platform)) {
            if (in == null) {
                throw new StartRefusedException(
                        "No Redis is configured, none is installed, and none is bundled for " + platform + ".",
                        "Say where a Redis runs: --spring.data.redis.host=... --spring.data.redis.port=...\n"
                                + "or set " + VARIABLE + " to the path of a redis-server program.");
            }
            Path binary = directory.resolve("redis-server");
            Files.copy(in, binary);
            if (!binary.toFile().setExecutable(true)) {
                throw new IOException("Cannot make " + binary + " executable");
            }
            return binary;
        }
    }

    private static String system() {
        String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return name.startsWith("mac") ? "darwin" : name.replace(' ', '-');
    }

    private static String architecture() {
        String name = System.getProperty("os.arch");
        return switch (name) {
            case "x86_64" -> "amd64";
            case "aarch64" -> "arm64";
            case "x86", "i386", "i686" -> "386";
            default -> name;
        };
    }
}
