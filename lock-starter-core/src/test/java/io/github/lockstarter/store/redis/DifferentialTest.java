package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.ServerClock;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.LockTable;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.Successor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Executes the same random commands by the scripts on a real Redis and by the model of the store, {@link LockTable},
 * and compares replies, messages and everything that is stored after each command. Tests that use the model therefore
 * hold for Redis.
 *
 * <p>The test sets the clock of the server before each command, and many commands are executed in the very millisecond
 * in which a lease or a deadline ends.
 *
 * <p>A failure prints the seed of the history and its last commands; {@code -Dlock.differential.seed=<seed>} repeats
 * it.
 */
@Tag("redis")
class DifferentialTest {

    private static final int COMMANDS = 20_000;

    private static final int MANY_COMMANDS = 100_000;

    private static final String AFTER_TOKEN = "grant after a last token";

    private static final String CROWDED = "crowded";

    private static final Long SEED = Long.getLong("lock.differential.seed");

    private static ServerClock clock;

    private ScriptedStore redis;

    private final Map<String, Integer> contents = new TreeMap<>();

    private long seed = SEED != null ? SEED : new Random().nextLong() >>> 16;

    @BeforeAll
    static void startServer(@TempDir Path directory) throws IOException {
        clock = ServerClock.start(directory);
    }

    @AfterAll
    static void stopServer() {
        if (clock != null) {
            clock.close();
        }
    }

    @BeforeEach
    void loadScripts() {
        this.redis = new ScriptedStore(clock.server(), true);
    }

    @AfterEach
    void close() {
        this.redis.close();
    }

    @Test
    void shouldBehaveAsTheScriptsDo() {
        compare(COMMANDS);
        assertThat(this.contents).as("what the histories contained").doesNotContainKey(AFTER_TOKEN);
    }

    /** On each supported server, see ServersTest. */
    @Test
    @Tag("servers")
    void shouldBehaveAsTheScriptsDoInManyHistories() {
        compare(MANY_COMMANDS);
    }

    /** Tokens and deadlines come from a clock of milliseconds then, and the last token of a released lock is kept. */
    @Test
    void shouldBehaveAsTheScriptsWithoutTimeDo() {
        CoarseTimeTest.requireExpiryTime(clock.server());
        this.redis.close();
        this.redis = new ScriptedStore(clock.server(), false);
        compare(COMMANDS);
        assertThat(this.contents).as("what the histories contained").containsKey(AFTER_TOKEN);
    }

    private void compare(int commands) {
        long started = System.nanoTime();
        int executed = 0;
        do {
            CommandHistory history = new CommandHistory(this.seed, this.redis, this.contents);
            history.run(clock);
            executed += history.executed();
            this.seed++;
        } while (executed < commands && SEED == null);
        Remarks.say("%d commands, seeds up to %d, in %d ms: %s"
                .formatted(executed, this.seed, (System.nanoTime() - started) / 1_000_000, this.contents));
        if (SEED == null) {
            assertThat(this.contents.keySet())
                    .as("what the histories contained")
                    .containsAll(CommandHistory.CONTENTS);
        }
    }

    /** The largest number of holders is beyond the size of random histories. */
    @Test
    void shouldLimitTheHoldersAsTheScriptsDo() {
        long micros = CommandHistory.BEGIN;
        clock.set(micros);
        CommandHistory history = new CommandHistory(this.seed, this.redis, this.contents);
        history.prepare(
                IntStream.range(0, 9_998).mapToObj(i -> acquire("a" + i + ".r")).toList(), micros);

        // A reader behind a writer that dies: the grant to it would reach the limit, so a command that is refused makes
        // none.
        assertThat(history.execute(acquire("writer"), "")).isInstanceOf(Reply.Taken.class);
        clock.set(micros + 2_000_000);
        assertThat(history.execute(acquire("b1.r"), "")).isInstanceOf(Reply.Taken.class);
        assertThat(history.execute(acquire("b2.r"), "")).isInstanceOf(Reply.Taken.class);
        clock.set(micros + 4_000_000);
        assertThat(history.execute(acquire("b3.r"), "")).isEqualTo("LOCKLIMIT");
        assertThat(history.execute(acquire("b1.r"), "")).isInstanceOf(Reply.Granted.class);
        assertThat(history.execute(acquire("b3.r"), "")).isEqualTo("LOCKLIMIT");
        Object released = history.execute(new Command.Release(CROWDED, "a1.r", 0, 0, null), "");
        assertThat(released).isInstanceOf(Reply.Released.class);
        assertThat(history.execute(acquire("b3.r"), "")).isInstanceOf(Reply.Granted.class);
        history.end();
    }

    /** A writer that a release names as its successor can be in the line before permits. */
    @Test
    void shouldRejectPermitsBehindAWriterInItsMinimumHoldAsTheScriptsDo() {
        clock.set(CommandHistory.BEGIN);
        CommandHistory history = new CommandHistory(this.seed, this.redis, this.contents);
        history.prepare(List.of(acquire("a.s1.2"), acquire("b.s1.2")), CommandHistory.BEGIN);
        Command toWriter = new Command.Release(CROWDED, "a.s1.2", 0, 0, new Successor("writer", 3_600_000));
        Object queued = history.execute(toWriter, "one");
        assertThat(queued).as("reply to a release whose successor is a writer").isInstanceOf(Reply.InLine.class);
        assertThat(history.execute(acquire("c.s1.2"), "two"))
                .as("reply to permits behind the writer")
                .isInstanceOf(Reply.Taken.class);
        assertThat(history.execute(release("b.s1.2"), ""))
                .as("reply to the release of the last permit")
                .isEqualTo(Reply.Released.INSTANCE);

        assertThat(history.execute(acquire("c.s1.2"), "two"))
                .as("reply to a poll for permits while the writer has the lock")
                .isInstanceOf(Reply.Taken.class);
        Object kept = history.execute(new Command.Release(CROWDED, "writer", 0, 60_000, null), "");
        assertThat(kept).as("reply to a release with a minimum hold").isEqualTo(Reply.Released.INSTANCE);
        assertThat(history.execute(acquire("c.s1.2"), "two"))
                .as("reply to a poll for permits in the minimum hold")
                .isEqualTo("LOCKKIND");
        history.end();
    }

    /** Entries leave between the first one and the last one. */
    @Test
    void shouldMoveALineTogetherAsTheScriptsDo() {
        long micros = CommandHistory.BEGIN;
        clock.set(micros);
        CommandHistory history = new CommandHistory(this.seed, this.redis, this.contents);
        history.prepare(
                Stream.of(
                                Stream.of(acquire("owner"), acquire("first")),
                                IntStream.range(0, 1003)
                                        .boxed()
                                        .flatMap(i -> Stream.of(acquire("a" + (i + 1)), release("a" + i))))
                        .flatMap(each -> each)
                        .toList(),
                micros);

        assertThat(this.redis.line(CROWDED)).startsWith("1:1004:2:");
        assertThat(history.execute(acquire("b"), "")).isInstanceOf(Reply.Taken.class);
        assertThat(history.execute(release("a1003"), "")).isEqualTo(Reply.LeftLine.INSTANCE);
        assertThat(this.redis.line(CROWDED)).startsWith("1:1005:2:");
        assertThat(history.execute(acquire("c"), "")).isInstanceOf(Reply.Taken.class);
        assertThat(this.redis.line(CROWDED)).startsWith("1:3:3:");
        history.end();
    }

    private static Command release(String id) {
        return new Command.Release(CROWDED, id, 0, 0, null);
    }

    private static Command acquire(String id) {
        return new Command.Acquire(CROWDED, id, 3_600_000, true);
    }
}
