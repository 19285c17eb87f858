package io.github.lockstarter.testsupport;

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
 * A program on this machine that runs as a server: redis-server or valkey-server.
 *
 * @param path where it is
 * @param origin how it was found, for the log
 * @param product Redis or Valkey, as it calls itself
 * @param version its version
 */
public record RedisBinary(Path path, String origin, String product, String version) {

    private static final Pattern VERSION = Pattern.compile("(\\w+) server v=(\\d[\\d.]*)");

    /**
     * All that there are: those that {@code -Dlock.test.servers} names, those on the PATH, and those that dependencies bring
     * along; of each version the first.
     */
    public static List<RedisBinary> all() {
        Map<String, RedisBinary> found = new LinkedHashMap<>();
        Stream.of(
                        paths(System.getProperty("lock.test.servers", "")).map(path -> of(path, "given")),
                        onThePath("redis-server").map(path -> of(path, "on the PATH")),
                        onThePath("valkey-server").map(path -> of(path, "on the PATH")),
                        EmbeddedRedis.all())
                .flatMap(Function.identity())
                .forEach(binary -> found.putIfAbsent(binary.name(), binary));
        return List.copyOf(found.values());
    }

    /** The one that somebody named, or else the one on the PATH. */
    static Optional<RedisBinary> installed() {
        String named = System.getProperty("lock.test.redis.bin", System.getenv("REDIS_SERVER_BIN"));
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

    /** The one that a dependency brings along, if there is one for this system. */
    static Optional<RedisBinary> embedded() {
        return EmbeddedRedis.byDefault();
    }

    /** One for a topology, whose servers must be able to reach each other as this JVM reaches them. */
    static RedisBinary forTopologies() {
        return installed()
                .or(RedisBinary::embedded)
                .orElseThrow(
                        () -> new IllegalStateException("A topology needs a redis-server that runs on this machine"));
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

    /** Product and version, such as "Redis 7.0.15". */
    public String name() {
        return product + " " + version;
    }

    int majorVersion() {
        return Integer.parseInt(version.substring(0, version.indexOf('.')));
    }
}
