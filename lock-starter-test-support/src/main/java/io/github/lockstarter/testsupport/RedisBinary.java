package io.github.lockstarter.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A redis-server program on this machine.
 *
 * @param path where it is
 * @param origin how it was found, for the log
 * @param majorVersion its major version
 */
record RedisBinary(Path path, String origin, int majorVersion) {

    private static final String EMBEDDED_VERSION = "7.0.15";
    private static final Pattern VERSION = Pattern.compile("v=(\\d+)\\.");

    /** The one that somebody named, or else the one on the PATH. */
    static Optional<RedisBinary> installed() {
        String named = System.getProperty("lock.test.redis.bin", System.getenv("REDIS_SERVER_BIN"));
        if (named != null && !named.isBlank()) {
            return Optional.of(of(Path.of(named), "configured"));
        }
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst()
                .map(path -> of(path, "on the PATH"));
    }

    /** The one that a dependency brings along, if there is one for this system. */
    static Optional<RedisBinary> embedded() {
        return Optional.ofNullable(Embedded.BINARY);
    }

    /** One for a topology, whose servers must be able to reach each other as this JVM reaches them. */
    static RedisBinary forTopologies() {
        return installed()
                .or(RedisBinary::embedded)
                .orElseThrow(
                        () -> new IllegalStateException("A topology needs a redis-server that runs on this machine"));
    }

    private static RedisBinary of(Path path, String origin) {
        try {
            Process process = new ProcessBuilder(path.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = VERSION.matcher(output);
            if (!version.find()) {
                throw new IllegalStateException(path + " (" + origin + ") is no redis-server: " + output);
            }
            return new RedisBinary(path, origin, Integer.parseInt(version.group(1)));
        } catch (IOException e) {
            throw new UncheckedIOException(path + " (" + origin + ") cannot be run", e);
        }
    }

    /** Extracted at most once per JVM. */
    private static final class Embedded {

        static final @Nullable RedisBinary BINARY = extract();

        private static @Nullable RedisBinary extract() {
            String resource = "/redis-server-" + EMBEDDED_VERSION + "-" + system() + "-" + architecture();
            try (InputStream in = RedisBinary.class.getResourceAsStream(resource)) {
                if (in == null) {
                    return null;
                }
                Path directory = Files.createTempDirectory("redis-server-");
                Path file = directory.resolve("redis-server");
                directory.toFile().deleteOnExit();
                file.toFile().deleteOnExit();
                Files.copy(in, file);
                if (!file.toFile().setExecutable(true)) {
                    throw new IOException("Cannot make " + file + " executable");
                }
                return of(file, "embedded");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
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
}
