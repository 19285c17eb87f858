package io.github.lockstarter.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisProgramTest {

    @TempDir
    private Path directory;

    @Test
    void shouldPreferTheProgramOnThePath() throws IOException {
        Path empty = Files.createDirectory(this.directory.resolve("empty"));
        Path valkey = program("first", "valkey-server");
        Path redis = program("second", "redis-server");

        assertThat(program(empty, valkey.getParent()).find(this.directory)).isEqualTo(valkey);
        assertThat(program(empty, valkey.getParent(), redis.getParent()).find(this.directory))
                .isEqualTo(redis);
    }

    @Test
    void shouldExtractTheProgramOfTheDependency() {
        Path program = new RedisProgram("", getClass().getClassLoader()).find(this.directory);

        assertThat(program).hasParent(this.directory).isExecutable();
    }

    @Test
    void shouldNameBothWaysToGetAProgram() throws IOException {
        Path noProgram = Files.createFile(
                Files.createDirectory(this.directory.resolve("bin")).resolve("redis-server"));

        try (URLClassLoader nothing = new URLClassLoader(new URL[0], null)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> new RedisProgram(noProgram.getParent().toString(), nothing).find(this.directory))
                    .withMessageContainingAll("PATH", "redis-server", "valkey-server", "org.signal:embedded-redis");
        }
    }

    private RedisProgram program(Path... searchPath) {
        StringBuilder joined = new StringBuilder();
        for (Path each : searchPath) {
            joined.append(each).append(File.pathSeparator);
        }
        return new RedisProgram(joined.toString(), getClass().getClassLoader());
    }

    private Path program(String folder, String name) throws IOException {
        Path file = Files.createFile(
                Files.createDirectory(this.directory.resolve(folder)).resolve(name));
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }
}
