package io.github.lockstarter.test;

import io.github.lockstarter.text.Printable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/** Finds a program of Redis: on the PATH, or in the dependency {@code org.signal:embedded-redis}. */
final class RedisProgram {

    private static final List<String> NAMES = List.of("redis-server", "redis-server.exe", "valkey-server");

    private final String searchPath;

    private final ClassLoader classLoader;

    RedisProgram() {
        this(System.getenv().getOrDefault("PATH", ""), RedisProgram.class.getClassLoader());
    }

    RedisProgram(String searchPath, ClassLoader classLoader) {
        this.searchPath = searchPath;
        this.classLoader = classLoader;
    }

    /**
     * Returns the program.
     *
     * @param directory where a program of the dependency is extracted
     * @throws IllegalStateException if there is none
     */
    Path find(Path directory) {
        return onThePath()
                .or(() -> embedded(directory))
                .orElseThrow(() -> new IllegalStateException(Printable.of("@UseRedisProcess needs a program of Redis."
                        + " Install redis-server or valkey-server so that it is on the PATH, or add the test dependency"
                        + " org.signal:embedded-redis, which has programs for Linux and macOS (this system is "
                        + system() + ").")));
    }

    private Optional<Path> onThePath() {
        return NAMES.stream()
                .flatMap(name -> Stream.of(this.searchPath.split(File.pathSeparator, -1))
                        .filter(directory -> !directory.isBlank())
                        .map(directory -> Path.of(directory, name)))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    private Optional<Path> embedded(Path directory) {
        // Versions of the library differ in the version of the program, which is a part of its name.
        try (JarFile jar = embeddedJar()) {
            if (jar == null) {
                return Optional.empty();
            }
            Optional<? extends ZipEntry> program = jar.stream()
                    .filter(entry -> entry.getName().startsWith("redis-server-")
                            && entry.getName().endsWith('-' + system()))
                    .findFirst();
            if (program.isEmpty()) {
                return Optional.empty();
            }
            Path file = directory.resolve("redis-server");
            try (InputStream in = jar.getInputStream(program.get())) {
                Files.copy(in, file);
            }
            if (!file.toFile().setExecutable(true)) {
                throw new IOException(Printable.of("Cannot make " + file + " executable."));
            }
            return Optional.of(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private @Nullable JarFile embeddedJar() throws IOException {
        URL type = this.classLoader.getResource("redis/embedded/RedisServer.class");
        if (type == null || !(type.openConnection() instanceof JarURLConnection connection)) {
            return null;
        }
        // A cached file would be shared with class loaders, and must not be closed.
        connection.setUseCaches(false);
        return connection.getJarFile();
    }

    private static String system() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String architecture = System.getProperty("os.arch");
        return (os.startsWith("mac") ? "darwin" : os.replace(' ', '-'))
                + switch (architecture) {
                    case "x86_64" -> "-amd64";
                    case "aarch64" -> "-arm64";
                    case "x86", "i386", "i686" -> "-386";
                    default -> '-' + architecture;
                };
    }
}
