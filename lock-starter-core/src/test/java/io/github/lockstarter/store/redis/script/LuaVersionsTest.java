package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.lockstarter.fixture.Remarks;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs the scripts under Lua 5.4, which Dragonfly has: it compares no text with a number, has no {@code unpack}, and
 * writes the result of a division with a fraction. Random histories on a stub of Redis must have the same replies and
 * the same data as under Lua 5.1, which Redis has.
 */
class LuaVersionsTest {

    private static final Path HISTORIES =
            Path.of("src/test/resources/io/github/lockstarter/store/redis/script/histories.lua");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"true, true", "false, true", "true, false", "false, false"})
    void shouldBehaveTheSameInEachVersionOfLua(boolean publishes, boolean hasTime) throws Exception {
        for (LuaScript script : LuaScript.values()) {
            Files.writeString(
                    this.folder.resolve(script.name().toLowerCase(Locale.ROOT) + ".lua"),
                    script.assemble(LuaScript.Variant.needed(!publishes, hasTime)));
        }
        requireProgram("lua5.4");
        List<String> newer = run("lua5.4");
        assertThat(newer.get(newer.size() - 1))
                .as("the largest number of words of HSET, HDEL and HMGET, with the key")
                .isEqualTo("widest\t129\t65\t65");
        assertThat(newer.stream().anyMatch(line -> line.startsWith("PUBLISH")))
                .as("messages were published")
                .isEqualTo(publishes);
        assertThat(newer.stream().anyMatch(line -> line.matches("\\t\\{\\S+ (one|three) lock:\\{.*")))
                .as("messages were returned")
                .isNotEqualTo(publishes);
        requireProgram("lua5.1");
        assertThat(newer).isEqualTo(run("lua5.1"));
    }

    private static void requireProgram(String name) {
        boolean isPresent = Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
        if (!isPresent) {
            Remarks.say("The scripts were not compared between versions of Lua: the PATH has no " + name);
        }
        assumeTrue(isPresent, "the PATH has no " + name);
    }

    private List<String> run(String lua) throws IOException, InterruptedException {
        Path output = this.folder.resolve(lua + ".out");
        Process process = new ProcessBuilder(lua, HISTORIES.toString(), this.folder.toString(), "")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).as("%s has ended", lua).isTrue();
        List<String> lines = Files.readAllLines(output);
        assertThat(process.exitValue())
                .as(
                        "the exit code of %s, whose last lines are %s",
                        lua, lines.subList(Math.max(0, lines.size() - 5), lines.size()))
                .isZero();
        return lines;
    }
}
