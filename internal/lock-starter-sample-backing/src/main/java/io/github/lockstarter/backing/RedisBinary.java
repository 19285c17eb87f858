package io.github.lockstarter.backing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A server program on this machine: redis-server or valkey-server.
 *
 * @param path location of the program
 * @param origin how it was found, for the log
 * @param product name that the program prints: Redis or Valkey
 * @param version version that the program prints
 */
public record RedisBinary(Path path, String origin, String product, String version) {

    /** Environment variable that names the program to run. */
    public static final String VARIABLE = "REDIS_SERVER_BIN";

    private static final Pattern VERSION = Pattern.compile("(\\w+) server v=(\\d[\\d.]*)");

    /**
     * Returns all programs of this machine: those that {@code -Dlock.test.servers} names, those on the PATH, and those
     * in dependencies; of each version the first.
     */
    public static List<RedisBinary> all() {
        Map<String, RedisBinary> found = new LinkedHashMap<>();
        Stream.of(
                        paths(System.getProperty("lock.test.servers", "")).map(path -> of(path, "given")),
                        onThePath("redis-server").map(path -> of(path, "on the PATH")),
                        onThePath("valkey-server").map(path -> of(path, "on the PATH")),
                        EmbeddedBinary.all())
                .flatMap(Function.identity())
                .forEach(binary -> found.putIfAbsent(binary.name(), binary));
        return List.copyOf(found.values());
    }

    /** Returns the program that is configured, or else the one on the PATH. */
    public static Optional<RedisBinary> installed() {
        String named = System.getProperty("lock.test.redis.bin", System.getenv(VARIABLE));
        if (named != null && !named.isBlank()) {
            return Optional.of(of(Path.of(named), "configured"));
        }
        return onThePath("redis-server").findFirst().map(path -> of(path, "on the PATH"));
    }

    private static Stream<Path> onThePath(String program) {
        return paths(System.getenv().getOrDefault("PATH", ""))
                .map(directory -> directory.resolve(program))
                .filter(Files::isExecutable);
    }

    private static Stream<Path> paths(String list) {
        return Stream.of(list.split(File.pathSeparator, -1))
                .filter(path -> !path.isBlank())
                .map(Path::of);
    }

    /** Returns the program that a dependency contains for this system, if any, extracted until this JVM exits. */
    public static Optional<RedisBinary> embedded() {
        return EmbeddedBinary.byDefault();
    }

    /** Extracts the program that a dependency contains for this system, if any, into an existing directory. */
    public static Optional<RedisBinary> embeddedIn(Path directory) {
        return EmbeddedBinary.extract(directory);
    }

    static RedisBinary of(Path path, String origin) {
        try {
            Process process = new ProcessBuilder(path.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = VERSION.matcher(output);
            if (!version.find()) {
                throw new IllegalStateException(path + " (" + origin + ") is no redis-server: " + output);
            }
            return new RedisBinary(path, origin, version.group(1), version.group(2));
        } catch (IOException e) {
            throw new UncheckedIOException(path + " (" + origin + ") cannot be run", e);
        }
    }

    /** Returns product and version, such as "Redis 7.0.15". */
    public String name() {
        return product + " " + version;
    }

    public int majorVersion() {
        return Integer.parseInt(version.substring(0, version.indexOf('.')));
    }
}
