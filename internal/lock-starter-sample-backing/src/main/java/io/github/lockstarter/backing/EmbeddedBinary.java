package io.github.lockstarter.backing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The redis-server programs that dependencies contain for several systems. */
final class EmbeddedBinary {

    private static final Logger log = LoggerFactory.getLogger(EmbeddedBinary.class);

    private static final String DEFAULT = "7.0.15";

    /**
     * The version of Redis 6.2 depends on the system, and only the profile that tests several servers has the
     * dependency.
     */
    private static final List<String> VERSIONS = List.of("6.2.6-v5", "6.2.7", DEFAULT);

    private static final Map<String, Optional<RedisBinary>> EXTRACTED = new ConcurrentHashMap<>();

    private EmbeddedBinary() {}

    static Optional<RedisBinary> byDefault() {
        return ofVersion(DEFAULT);
    }

    /** Returns those that can be run; a program may need a library that the system does not have. */
    static Stream<RedisBinary> all() {
        return VERSIONS.stream().flatMap(version -> {
            try {
                return ofVersion(version).stream();
            } catch (IllegalStateException e) {
                log.warn("No Redis {} on this system: {}", version, e.getMessage());
                return Stream.empty();
            }
        });
    }

    static Optional<RedisBinary> extract(Path directory) {
        return extract(DEFAULT, directory);
    }

    private static Optional<RedisBinary> ofVersion(String version) {
        return EXTRACTED.computeIfAbsent(version, EmbeddedBinary::extractOnce);
    }

    private static Optional<RedisBinary> extractOnce(String version) {
        try {
            Path directory = Files.createTempDirectory("redis-server-");
            directory.toFile().deleteOnExit();
            Optional<RedisBinary> binary = extract(version, directory);
            binary.ifPresent(extracted -> extracted.path().toFile().deleteOnExit());
            return binary;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Optional<RedisBinary> extract(String version, Path directory) {
        String resource = "/redis-server-" + version + "-" + system() + "-" + architecture();
        try (InputStream in = EmbeddedBinary.class.getResourceAsStream(resource)) {
            if (in == null) {
                return Optional.empty();
            }
            Path file = directory.resolve("redis-server");
            Files.copy(in, file);
            if (!file.toFile().setExecutable(true)) {
                throw new IOException("Cannot make " + file + " executable");
            }
            return Optional.of(RedisBinary.of(file, "embedded"));
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
