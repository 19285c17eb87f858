package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts at servers that refuse writes, and what the random commands of DifferentialTest do not contain. */
@SuppressWarnings("StringSplitter") // no reply ends with a space
@RedisTest
class LockScriptTest {

    private static final String KEY = LockScripts.KEY;

    private static final Pattern LUA = Pattern.compile("```lua\n(.+?)```", Pattern.DOTALL);

    /** Ahead of every clock until the year 2112, and odd: a number that loses digits becomes another. */
    private static final long FUTURE = (1L << 52) - 123_456_789L;

    private final RedisCli redis;

    private final RedisCli listener;

    private final LockScripts scripts;

    LockScriptTest(RedisCli redis, RedisCli listener) {
        this.redis = redis;
        this.listener = listener;
        this.scripts = new LockScripts(redis);
        listener.command("SUBSCRIBE", LockScripts.INBOX);
    }

    private void lockWithALine() {
        this.scripts.acquire("me");
        this.scripts.join("head");
        this.scripts.join("tail");
    }

    /** Another one with a receiver is behind it. */
    private void lockWithAWaiterWithoutReceiver(String id) {
        this.scripts.acquire("me");
        this.scripts.call(LuaScript.ACQUIRE, List.of(KEY), id, KEY, LockScripts.LEASE, LockScripts.CLAIM + ":nobody");
        this.scripts.join("next");
    }

    private void fill() {
        this.redis.command("CONFIG", "SET", "maxmemory", "1");
        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> this.redis.command("SET", "any", "value"))
                .withMessageStartingWith("OOM");
    }

    @Test
    void shouldHandOverInAFullRedis() {
        lockWithALine();
        long token = this.scripts.token();
        fill();

        assertThat(this.scripts.release("me")).isEqualTo(1);

        assertThat(this.scripts.owner()).isEqualTo("head");
        assertThat(this.scripts.token()).isGreaterThan(token);
        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
        assertThat(this.scripts.messages(this.listener)).containsExactly(KEY + "head:" + this.scripts.token());
        assertThat(this.scripts.releaseTo("next", "head", 0)).isNegative();
        assertThat(this.scripts.waiting()).as("the owner is the tail").containsExactly("next");
        assertThat(this.scripts.release("next")).as("leaves the line").isEqualTo(3);
    }

    @Test
    void shouldKeepForAMinimumHoldInAFullRedis() {
        lockWithALine();
        fill();

        assertThat(this.scripts.call(LuaScript.KEEP, List.of(KEY), "me", 30_000))
                .isEqualTo(1L);
        assertThat(this.scripts.call(LuaScript.RENEW, List.of(KEY), LockScripts.LEASE, "me"))
                .isEqualTo(List.of(1L, -1L));
        assertThat(this.scripts.call(LuaScript.KEEP, List.of(KEY), "me", 40_000))
                .as("once more")
                .isEqualTo(1L);
        this.scripts.assertThatLeaseIs(30_000);
        assertThat(this.scripts.waiting()).containsExactly("head", "tail");
    }

    @ParameterizedTest
    @ValueSource(strings = {"new", "new.r", "new.s1.2"})
    void shouldRefuseAGrantInAFullRedis(String id) {
        fill();

        assertThatExceptionOfType(RedisErrorException.class)
                .as("grant to %s in a full Redis", id)
                .isThrownBy(() -> this.scripts.acquire(id))
                .withMessageContaining("OOM");
        assertThat(this.redis.keys()).as("keys after the refusal").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"me, new", "me, new.r", "me.r, new"})
    void shouldPollWithoutAPlaceInTheLineInAFullRedis(String ids) {
        String[] ownerAndNew = ids.split(", ");
        this.scripts.acquire(ownerAndNew[0]);
        fill();

        String reply = this.scripts
                .call(LuaScript.ACQUIRE, List.of(KEY), ownerAndNew[1], LockScripts.LEASE, LockScripts.CLAIM + ":one")
                .toString();

        assertThat(reply.split(" ")[2])
                .as("milliseconds until the next poll in the line, 0 outside of it, in %s", reply)
                .isEqualTo("0");
        assertThat(this.scripts.waiting()).as("line in a full Redis").isEmpty();
    }

    /** Without the permission to let it expire. */
    @ParameterizedTest
    @ValueSource(strings = {"me", "me.r", "me.s1.2"})
    void shouldLeaveNoLockThatNeverExpires(String id) {
        this.redis.command("ACL SETUSER limited reset on nopass ~* &* +@all -pexpire".split(" "));
        this.redis.command("AUTH", "limited", "any");
        try {
            assertThatExceptionOfType(RedisErrorException.class)
                    .as("grant to %s without the permission for PEXPIRE", id)
                    .isThrownBy(() -> this.scripts.acquire(id));
        } finally {
            this.redis.command("AUTH", "default", "any");
            this.redis.command("ACL", "DELUSER", "limited");
        }
        assertThat(this.redis.keys()).as("locks that never expire").isEmpty();
    }

    /** The limit of a semaphore can be larger. */
    @Test
    void shouldLimitTheHoldersOfPermits() {
        String holder = "me.s1.20000";
        String end = "9999999999999";
        this.redis.command(
                "HSET",
                KEY,
                "o",
                "~s",
                "f",
                "42",
                "s",
                "10000:10000:" + end + ':' + holder,
                "h:" + holder,
                end + ":42:1");
        this.redis.command("PEXPIRE", KEY, "60000");

        assertThatExceptionOfType(RedisErrorException.class)
                .as("one more than 10,000 holders")
                .isThrownBy(() -> this.scripts.acquire("you.s1.20000"))
                .withMessageContaining("LOCKLIMIT");
    }

    /** As after PERSIST by hand. */
    @Test
    void shouldReportALockWithoutAnEnd() {
        this.scripts.acquire("me");
        this.redis.command("PERSIST", KEY);

        assertThat(this.scripts.acquire("you"))
                .as("negated remaining milliseconds of a lock that does not expire")
                .isEqualTo(-(1L << 52));
    }

    /** No engine asks under the id of a reader; a store does not depend on that. */
    @Test
    void shouldTakeAReaderOutOfTheLineWhenTheWriterBecomesIt() {
        this.scripts.acquire("me");
        this.scripts.join("me.r");

        this.scripts.call(LuaScript.DOWNGRADE, List.of(KEY), "me", KEY, LockScripts.LEASE, 0);

        assertThat(this.redis.hgetall(KEY).get("s")).as("one holder").startsWith("1:1:");
    }

    /** A replica and a master with too few replicas refuse writes, but not PUBLISH. */
    @ParameterizedTest
    @ValueSource(strings = {"", "next"})
    void shouldNotPublishAGrantThatIsNotWritten(String successor) {
        lockWithALine();
        this.redis.command("REPLICAOF", "127.0.0.1", "1");
        try {
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(() -> release(successor))
                    .withMessageContaining("READONLY");
            assertThat(this.scripts.owner()).isEqualTo("me");
            assertThat(this.scripts.waiting()).containsExactly("head", "tail");
        } finally {
            this.redis.command("REPLICAOF", "NO", "ONE");
        }
        this.redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
        boolean isWritten = true;
        try {
            release(successor);
        } catch (RedisErrorException ex) {
            // Before Redis 7 that setting does not concern scripts.
            assertThat(ex).hasMessageContaining("NOREPLICAS");
            isWritten = false;
        } finally {
            this.redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
        }
        assertThat(this.scripts.owner()).isEqualTo(isWritten ? "head" : "me");
        assertThat(this.scripts.messages(this.listener)).hasSize(isWritten ? 1 : 0);
    }

    private void release(String successor) {
        long unused = successor.isEmpty() ? this.scripts.release("me") : this.scripts.releaseTo(successor, "me", 0);
    }

    /** As by hand: the line may lose its order, but not the lock, its token or an acquisition that joins. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "",
                ":::",
                "1:2",
                "1:2:2:-5",
                "1:3:3:9999999999999",
                "5:3:2:0",
                "1:99999999999:2:0",
                "%d+",
                "\u0000"
            })
    void shouldGoOnWithADamagedLine(String line) {
        long token = this.scripts.acquire("me");
        this.redis.command("HSET", KEY, "q", line);
        assertThat(this.scripts.join("waiter")).isNegative();
        assertThat(this.scripts.join("waiter")).isNegative();
        assertThat(this.scripts.waiting()).containsExactly("waiter");
        assertThat(this.scripts.release("waiter")).isEqualTo(3);
        assertThat(this.scripts.token()).isEqualTo(token);
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);

        this.redis.command("HSET", KEY, "q", line);
        assertThat(this.scripts.releaseTo("next", "me", 0)).isEqualTo(this.scripts.token());
        assertThat(this.scripts.owner()).isEqualTo("next");
        assertThat(this.redis.hgetall(KEY)).as("the damage is gone").containsOnlyKeys("o", "f");

        this.redis.command("HSET", KEY, "q", line);
        assertThat(this.scripts.release("next")).isEqualTo(1);
        assertThat(this.redis.keys()).isEmpty();
    }

    /** The clock of Redis was set back, or the last token is larger. */
    @Test
    void shouldGrantTokensAboveTheStoredOneWithAllDigits() {
        long token = FUTURE;
        this.scripts.held(KEY, "id0", token, LockScripts.LEASE);
        for (int i = 1; i <= 100; i++) {
            // Through the reply, the argument and the field, in turn.
            long last = i % 2 == 0 ? token : token + i;
            token = this.scripts.releaseTo("id" + i, "id" + (i - 1), last);
            assertThat(token).isEqualTo(last + 1);
            assertThat(this.scripts.token()).isEqualTo(token);
        }
    }

    /** Its connection for messages can be dead at the server, and open at the client. */
    @ParameterizedTest
    @ValueSource(strings = {"", ".r"})
    void shouldKeepThePlaceOfAWaiterWithoutReceiverThatPolls(String kind) {
        String deaf = "deaf" + kind;
        lockWithAWaiterWithoutReceiver(deaf);

        assertThat(this.scripts.release("me")).isEqualTo(1);

        assertThat(this.redis.hgetall(KEY)).containsEntry("o", kind.isEmpty() ? deaf : "~r");
        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
        assertThat(this.scripts.waiting()).containsExactly("next");
    }

    /** Its instance is gone. */
    @ParameterizedTest
    @ValueSource(strings = {"", ".r"})
    void shouldSkipAWaiterWithoutReceiverThatDoesNotPoll(String kind) {
        String gone = "gone" + kind;
        lockWithAWaiterWithoutReceiver(gone);
        long soon = System.currentTimeMillis() + LockScripts.CLAIM - 1_000;
        this.redis.command("HSET", KEY, "w:" + gone, "1:" + soon + ':' + LockScripts.CLAIM + ":nobody");

        assertThat(this.scripts.release("me")).isEqualTo(1);

        assertThat(this.scripts.owner()).isEqualTo("next");
        assertThat(this.scripts.waiting()).isEmpty();
    }

    /** With them, a command would act on all readers, or on a lock that is kept. */
    @Test
    void shouldRefuseMarkersAsIds() {
        this.redis.command(
                "HSET", "read", "o", "~r", "f", "42", "s", "1:1:9999999999999:me.r", "h:me.r", "9999999999999:42:1");
        this.redis.command(
                "HSET",
                "permits",
                "o",
                "~s",
                "f",
                "42",
                "s",
                "1:1:9999999999999:me.s1.2",
                "h:me.s1.2",
                "9999999999999:42:1");
        this.redis.command("HSET", "kept", "o", "~kme", "f", "42");
        for (String key : List.of("read", "permits", "kept", "free")) {
            this.redis.command("PEXPIRE", key, "60000");
            Map<String, String> before = this.redis.hgetall(key);
            for (String id : List.of("~r", "~s")) {
                assertRefused(LuaScript.RELEASE, key, id, key);
                assertRefused(LuaScript.RELEASE, key, id, key, 0, "next", 1000, "2000:");
            }
            for (String id : List.of("~r", "~s", "~kme")) {
                assertRefused(LuaScript.ACQUIRE, key, id, key, 1000);
                assertRefused(LuaScript.KEEP, key, id, 1);
                assertRefused(LuaScript.DOWNGRADE, key, id, key, 1000, 0);
                assertRefused(LuaScript.RENEW, key, 100_000, id);
            }
            assertThat(this.redis.hgetall(key)).isEqualTo(before);
            assertThat(this.redis.pttl(key)).isLessThanOrEqualTo(60_000);
        }
    }

    private void assertRefused(LuaScript script, String key, Object... arguments) {
        assertThatThrownBy(() -> this.scripts.call(script, List.of(key), arguments))
                .hasMessageContaining("of no acquisition");
    }

    /** Written by hand, or by another application: Redis is blocked for as long as a script takes. */
    @Test
    void shouldNotReadWhatAForeignLineClaimsToHave() {
        for (String line : List.of("1:49999:1:1", "1:49999:49000:1", "1:999999:999999:1", "1:999999:1:9999999999999")) {
            this.redis.command("DEL", "foreign");
            this.redis.command("HSET", "foreign", "o", "another", "f", "42", "q", line);
            this.redis.command("PEXPIRE", "foreign", "60000");
            this.redis.command("CONFIG", "RESETSTAT");
            Object unused = this.scripts.call(LuaScript.INSPECT, List.of("foreign"));
            unused = this.scripts.call(LuaScript.ACQUIRE, List.of("foreign"), "me", "foreign", 1000, "2000:");
            unused = this.scripts.call(LuaScript.RELEASE, List.of("foreign"), "another", "foreign");
            Map<String, Long> calls = this.redis.infoCommandStats();
            assertThat(calls.values().stream().mapToLong(Long::longValue).sum())
                    .as(calls.toString())
                    .isLessThan(55_000);
        }
    }

    /** A write that is skipped is not replicated, and WAIT would be satisfied by an older one. */
    @Test
    void shouldConfirmByAWriteOfEachLock() {
        this.scripts.held("long", "me", 42, 60_000);
        this.scripts.held("short", "me", 42, 2_000);
        this.scripts.held("yours", "you", 42, 2_000);
        this.redis.command("SET", "text", "x");
        this.redis.command("HSET", "read", "o", "~r", "f", "42", "h:me.r", "9999999999999:42:1");
        this.redis.command("PEXPIRE", "read", "60000");
        long before = changes();

        assertThat(this.scripts.call(
                        LuaScript.RENEW_8,
                        List.of("free", "long", "short", "yours", "text", "read", "free", "free"),
                        10_000,
                        "me;me;me;me;me;me.r;me;me",
                        1))
                .isEqualTo(List.of(1L, 0L, 4L, -1L, 5L, -1L, 7L, 0L, 8L, 0L));

        assertThat(changes()).as("one, one, and three of the reader").isEqualTo(before + 5);
        assertThat(this.redis.pttl("long")).isGreaterThan(50_000L);
        assertThat(this.redis.pttl("short")).isBetween(9_000L, 10_000L);
        assertThat(this.redis.pttl("yours")).isLessThanOrEqualTo(2_000L);
        assertThat(this.redis.exists("free")).isFalse();
    }

    /** Commands that have changed data, all of which go to the replicas. */
    private long changes() {
        return this.redis
                .info("persistence")
                .lines()
                .filter(line -> line.startsWith("rdb_changes_since_last_save:"))
                .mapToLong(line -> Long.parseLong(line.split(":", 2)[1].strip()))
                .sum();
    }

    /** The script that the manual offers for data in Redis that a lock protects. */
    @Test
    void shouldRefuseAnOwnerThatHasBeenReplacedByTheRecipeOfTheManual() throws Exception {
        Matcher recipe = LUA.matcher(Files.readString(Path.of("../docs/reference/fencing.md")));
        assertThat(recipe.find()).isTrue();
        String script = recipe.group(1);

        assertThat(this.redis.command("EVAL", script, "1", "data", "7", "first"))
                .isEqualTo(1L);
        assertThat(this.redis.command("EVAL", script, "1", "data", "8", "second"))
                .isEqualTo(1L);
        assertThat(this.redis.command("EVAL", script, "1", "data", "7", "too late"))
                .isEqualTo(0L);
        assertThat(this.redis.command("EVAL", script, "1", "data", "8", "third"))
                .as("the owner may write again")
                .isEqualTo(1L);
        assertThat(this.redis.hgetall("data")).containsEntry("value", "third");
    }
}
