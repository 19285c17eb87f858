package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.fixture.ServerClock;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tokens of the scripts without {@code TIME}, whose clock has milliseconds, on a real Redis whose time the test sets
 * to the microsecond. Three JVMs acquire one lock, hand it over in memory, release it, wait in the line, keep it for a
 * minimum hold, and let leases end, most of it within a few milliseconds. CoarseTime.tla specifies it.
 */
@Tag("redis")
class CoarseTimeTest {

    private static final int HISTORIES = 100;

    private static final int STEPS = 150;

    private static final int JVMS = 3;

    private static final long MILLI = 1_000;

    private static final long LEASE = 20;

    private static final String LOCK = "coarse";

    private static ServerClock clock;

    private static ScriptedStore redis;

    @BeforeAll
    static void startServer(@TempDir Path directory) throws IOException {
        clock = ServerClock.start(directory);
        requireExpiryTime(clock.server());
        redis = new ScriptedStore(clock.server(), false);
    }

    /** Skips the test if the server has no {@code PEXPIRETIME}, which Redis 7.0 and newer have. */
    static void requireExpiryTime(RedisServer server) {
        if (!hasExpiryTime(server)) {
            String obstacle = "the server has no PEXPIRETIME";
            Remarks.say("The scripts without TIME were not tested: " + obstacle);
            abort(obstacle);
        }
    }

    static boolean hasExpiryTime(RedisServer server) {
        try (RedisCli cli = server.cli()) {
            Object unused = cli.command("PEXPIRETIME", "none");
            return true;
        } catch (RedisErrorException ex) {
            return false;
        }
    }

    @AfterAll
    static void stopServer() {
        if (redis != null) {
            redis.close();
        }
        if (clock != null) {
            clock.close();
        }
    }

    @Test
    void shouldGiveLargerTokensToLaterOwners() {
        long seed = new Random().nextLong() >>> 16;
        int afterTokens = 0;
        for (int i = 0; i < HISTORIES; i++) {
            History history = new History(seed + i, false);
            assertThat(history.run())
                    .as("violations of the history of seed %d", seed + i)
                    .isEmpty();
            afterTokens += history.afterTokens;
        }
        assertThat(afterTokens)
                .as("grants while the last token of a released lock was kept")
                .isGreaterThan(HISTORIES / 10);
    }

    /** Shows that the histories contain what the last token is kept for. */
    @Test
    void shouldNeedTheLastTokenOfAReleasedLock() {
        int violated = 0;
        for (int i = 0; i < HISTORIES; i++) {
            violated += new History(i, true).run().isEmpty() ? 0 : 1;
        }
        assertThat(violated).as("histories with a token that is not larger").isGreaterThan(HISTORIES / 2);
    }

    /** One JVM. Times are microseconds. */
    private static final class Jvm {

        /** The acquisition that owns the lock, waits in the line or is to be released; null: none. */
        private String id;

        private boolean isHeld;

        private long token;

        private long grantedAt;

        private int handOvers;
    }

    private static final class History {

        private final Random random;

        private final boolean forgets;

        private final ScriptCommands codec = new ScriptCommands(redis.keys(), LEASE);

        private final List<Jvm> jvms = new ArrayList<>();

        private final List<String> log = new ArrayList<>();

        private final List<String> violations = new ArrayList<>();

        private final String lock;

        private long micros;

        private long largest;

        private int ids;

        private int afterTokens;

        /**
         * Creates a history.
         *
         * @param forgets whether the last token of a released lock is deleted
         */
        History(long seed, boolean forgets) {
            this.random = new Random(seed * 0x9E3779B97F4A7C15L);
            this.forgets = forgets;
            this.lock = LOCK + seed;
            this.micros = 1_700_000_000_000_000L + this.random.nextInt(1_000_000);
            for (int i = 0; i < JVMS; i++) {
                this.jvms.add(new Jvm());
            }
        }

        /** Returns the violations, after which a history ends. */
        List<String> run() {
            for (int i = 0; i < STEPS && this.violations.isEmpty(); i++) {
                int kind = this.random.nextInt(100);
                // A command takes some microseconds.
                this.micros += kind < 90 ? 2 + this.random.nextInt(60) : this.random.nextInt((int) (2 * LEASE * MILLI));
                step(this.jvms.get(this.random.nextInt(JVMS)));
            }
            redis.delete(this.lock);
            return this.violations;
        }

        private void step(Jvm jvm) {
            long age = this.micros - jvm.grantedAt;
            if (jvm.id == null) {
                jvm.id = "jvm-" + this.ids++;
                acquire(jvm);
            } else if (!jvm.isHeld) {
                acquire(jvm);
            } else if (this.random.nextInt(100) < 50) {
                // As LocalLock does: not more than 90 % of the microseconds since the reply, and not at the end of the
                // lease.
                int most = (int) Math.min(64, (age - 1) * 9 / 10);
                if (age < LEASE * MILLI * 9 / 10 && jvm.handOvers < most) {
                    jvm.handOvers += 1 + this.random.nextInt(most - jvm.handOvers);
                    note(jvm.token + jvm.handOvers);
                }
            } else {
                end(jvm);
            }
        }

        private void acquire(Jvm jvm) {
            if (execute(new Command.Acquire(this.lock, jvm.id, LEASE, true)) instanceof Reply.Granted granted) {
                jvm.isHeld = true;
                jvm.token = granted.token();
                jvm.grantedAt = this.micros;
                jvm.handOvers = 0;
                note(jvm.token);
            }
        }

        private void end(Jvm jvm) {
            long last = jvm.handOvers > 0 ? jvm.token + jvm.handOvers : 0;
            int kind = this.random.nextInt(10);
            if (kind > 0) {
                long keep = kind == 1 ? 1 : 0;
                Object unused = execute(new Command.Release(this.lock, jvm.id, last, keep, null));
            }
            // Otherwise the JVM has died.
            jvm.id = null;
            jvm.isHeld = false;
        }

        private Object execute(Command command) {
            clock.set(this.micros);
            ScriptedStore.Step step = redis.execute(command, this.codec, "", false, List.of(this.lock));
            Map<String, String> stored = step.stored().get(0);
            this.log.add(this.micros + " " + command + " -> " + step.outcome() + ' ' + stored);
            boolean isKept = stored.containsKey("f") && !stored.containsKey("o");
            if (isKept && this.forgets) {
                redis.delete(this.lock);
            }
            if (this.wasKept && step.outcome() instanceof Reply.Granted) {
                this.afterTokens++;
            }
            this.wasKept = isKept;
            return step.outcome();
        }

        private boolean wasKept;

        /** Notes a token at the moment in which an owner receives it. */
        private void note(long token) {
            if (token <= this.largest || token > this.micros) {
                this.violations.add("token " + token + " after " + this.largest + " at " + this.micros + "\n"
                        + String.join("\n", this.log.subList(Math.max(0, this.log.size() - 10), this.log.size())));
            }
            this.largest = Math.max(this.largest, token);
        }
    }
}
