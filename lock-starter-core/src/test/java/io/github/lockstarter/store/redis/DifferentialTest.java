package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.LockTable;
import io.github.lockstarter.store.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Executes the same random commands by the scripts on a real Redis and by the model of the store, {@link LockTable}, and
 * compares replies, messages and everything that is stored after each command. Tests that use the model therefore hold for
 * Redis.
 *
 * <p>Where the clock of the server can be set, the test determines the time of each command, and many are executed in the very
 * millisecond in which a lease or a deadline ends. Otherwise it uses the real time, and no command within 20 ms of such an end.
 *
 * <p>A failure prints the seed of the history and its last commands; {@code -Dlock.differential.seed=<seed>} repeats it, in
 * real time only the random numbers.
 */
@Tag("redis")
class DifferentialTest {

    /** Milliseconds in which a waiter must claim a grant, as by default. */
    static final long CLAIM = 2_000;

    /** The same for histories in real time. */
    static final long SHORT_CLAIM = 200;

    private static final int COMMANDS = 20_000;

    private static final int MANY_COMMANDS = 100_000;

    private static final int COMMANDS_IN_REAL_TIME = 2_000;

    private static final int HISTORIES_IN_REAL_TIME = 100;

    private static final String CROWDED = "crowded";

    private static final Long SEED = Long.getLong("lock.differential.seed");

    private static ServerClock clock;

    private static ScriptedStore redis;

    private final Map<String, Integer> contents = new TreeMap<>();

    private long seed = SEED != null ? SEED : new Random().nextLong() >>> 16;

    @BeforeAll
    static void startServer(@TempDir Path directory) throws IOException {
        clock = ServerClock.start(directory);
        redis = new ScriptedStore(clock.server());
        if (!clock.obstacle().isEmpty()) {
            Remarks.say("DifferentialTest uses the real time: " + clock.obstacle());
        }
    }

    @AfterAll
    static void stopServer() {
        redis.close();
        clock.close();
    }

    @Test
    void shouldBehaveAsTheScriptsDo() {
        compare(COMMANDS);
    }

    /** On each supported server, see ServersTest. */
    @Test
    @Tag("servers")
    void shouldBehaveAsTheScriptsDoInManyHistories() {
        compare(MANY_COMMANDS);
    }

    private void compare(int commands) {
        if (!clock.obstacle().isEmpty()) {
            compareInRealTime(commands);
            return;
        }
        long started = System.nanoTime();
        int executed = 0;
        do {
            CommandHistory history = new CommandHistory(this.seed, redis, CLAIM, this.contents);
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

    @Test
    void shouldBehaveAsTheScriptsDoInRealTime() {
        compareInRealTime(COMMANDS_IN_REAL_TIME);
    }

    private void compareInRealTime(int commands) {
        clock.set(0);
        Random random = new Random(this.seed);
        List<CommandHistory> histories = new ArrayList<>();
        int executed = 0;
        int ended = 0;
        int discarded = 0;
        while (executed < commands) {
            while (histories.size() < HISTORIES_IN_REAL_TIME) {
                histories.add(new CommandHistory(this.seed, redis, SHORT_CLAIM, this.contents));
                this.seed++;
            }
            CommandHistory history = histories.get(random.nextInt(histories.size()));
            int before = history.executed();
            boolean goesOn = history.stepInRealTime();
            // Neither a step that was put off nor one that was discarded has compared anything.
            executed += history.isDiscarded() ? 0 : history.executed() - before;
            if (!goesOn) {
                histories.remove(history);
                ended++;
                discarded += history.isDiscarded() ? 1 : 0;
            }
        }
        Remarks.say("%d commands in real time, %d of %d histories discarded: %s"
                .formatted(executed, discarded, ended + histories.size(), this.contents));
    }

    /** The largest number of holders is beyond the size of random histories. */
    @Test
    void shouldLimitTheHoldersAsTheScriptsDo() {
        assumeThat(clock.obstacle()).isEmpty();
        long micros = CommandHistory.BEGIN;
        clock.set(micros);
        CommandHistory history = new CommandHistory(this.seed, redis, CLAIM, this.contents);
        history.prepare(
                IntStream.range(0, 9_998).mapToObj(i -> acquire("a" + i + ".r")).toList(), micros);

        // A reader behind a writer that dies: the grant to it would reach the limit, so a command that is refused makes
        // none.
        assertThat(history.execute(acquire("writer"), "", true)).isInstanceOf(Reply.Taken.class);
        clock.set(micros + 2_000_000);
        assertThat(history.execute(acquire("b1.r"), "", true)).isInstanceOf(Reply.Taken.class);
        assertThat(history.execute(acquire("b2.r"), "", true)).isInstanceOf(Reply.Taken.class);
        clock.set(micros + 4_000_000);
        assertThat(history.execute(acquire("b3.r"), "", true)).isEqualTo("LOCKLIMIT");
        assertThat(history.execute(acquire("b1.r"), "", true)).isInstanceOf(Reply.Granted.class);
        assertThat(history.execute(acquire("b3.r"), "", true)).isEqualTo("LOCKLIMIT");
        Object released = history.execute(new Command.Release(CROWDED, "a1.r", 0, 0, null), "", true);
        assertThat(released).isInstanceOf(Reply.Released.class);
        assertThat(history.execute(acquire("b3.r"), "", true)).isInstanceOf(Reply.Granted.class);
        history.end();
    }

    private static Command acquire(String id) {
        return new Command.Acquire(CROWDED, id, 3_600_000, true);
    }
}
