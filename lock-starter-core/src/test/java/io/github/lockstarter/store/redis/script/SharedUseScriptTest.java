package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The data of a lock in shared use, and what an error may have left of it. */
@RedisTest
class SharedUseScriptTest {

    private static final String KEY = LockScripts.KEY;

    private static final long FAR = 9_999_999_999_999L;

    private final RedisCli redis;

    private final LockScripts scripts;

    SharedUseScriptTest(RedisCli redis) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
    }

    @Test
    void shouldStoreHoldersAndWaitersWithDeadlines() {
        long token = this.scripts.acquire("a.r");
        this.scripts.join("w", "one+");

        Map<String, String> fields = this.redis.hgetall(KEY);

        assertThat(fields).containsOnlyKeys("o", "f", "q", "s", "h:a.r", "e:1", "w:w");
        assertThat(fields).containsEntry("o", "~r").containsEntry("f", Long.toString(token));
        assertThat(fields.get("h:a.r")).matches("\\d{13}:" + token + ":1");
        assertThat(fields.get("s")).matches("1:1:\\d{13}:a\\.r");
        assertThat(this.scripts.line()).isEqualTo(";w:one+:20000");
        long joinedAt = this.scripts.ofHolder("a.r", 1) - LockScripts.LEASE;
        assertThat(this.scripts.deadlineOf("w")).isBetween(joinedAt + 30_000, joinedAt + 35_000);
    }

    /** A refusal that finds no name reads all holders, which takes milliseconds beside thousands. */
    @Test
    void shouldNameAHolderThatStaysWhileOthersComeAndGo() {
        this.scripts.acquire("stays.r");
        this.scripts.acquire("goes.r");
        this.scripts.release("goes.r");

        assertThat(this.redis.hgetall(KEY).get("s")).matches("1:1:\\d{13}:stays\\.r");

        this.scripts.acquire("last.r");
        this.scripts.release("stays.r");
        this.scripts.acquire("w");

        assertThat(this.redis.hgetall(KEY).get("s")).matches("1:1:\\d{13}:last\\.r");
    }

    @Test
    void shouldNotReadAllHoldersToFindOutWhetherItIsOwned() {
        this.scripts.acquire("a.r");
        this.scripts.acquire("b.r");
        this.redis.command("CONFIG", "RESETSTAT");

        assertThat(this.redis.command("EVAL", LuaScript.INSPECT.getScriptAsString(), "1", KEY, "1"))
                .isEqualTo(List.of("~r"));

        assertThat(this.redis.infoCommandStats()).containsKey("hmget").doesNotContainKey("hgetall");
    }

    @Test
    void shouldStoreTheWeightOfPermits() {
        this.scripts.acquire("a.s2.5");

        assertThat(this.scripts.owner()).isEqualTo("~s");
        assertThat(this.scripts.ofHolder("a.s2.5", 3)).isEqualTo(2);
    }

    @Test
    void shouldNotExpireBeforeTheLastHolder() {
        this.scripts.acquire("a.r", 30_000);
        this.scripts.acquire("b.r", 100_000);
        this.scripts.acquire("c.r", 20_000);
        this.scripts.assertThatLeaseIs(100_000);

        this.scripts.release("b.r");
        assertThat(this.scripts.renew("c.r")).isEmpty();
        this.scripts.keep("c.r", 5_000);
        assertThat(this.redis.pttl(KEY)).as("not before one of them").isGreaterThan(25_000);

        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("a.r", "~kc.r");
        this.scripts.release("a.r");
        assertThat(this.scripts.keep("c.r", 4_000)).isEqualTo(1);
        this.scripts.assertThatLeaseIs(4_000);
    }

    @Test
    void shouldExpireWithAKeptHolderThatIsLeftAlone() {
        this.scripts.acquire("a.s1.2");
        this.scripts.acquire("b.s1.2");
        this.scripts.keep("a.s1.2", 5_000);

        this.scripts.release("b.s1.2");

        this.scripts.assertThatLeaseIs(5_000);
    }

    /** Its field s names no holder and an end that is far away. */
    @Test
    void shouldAnswerBesideHoldersThatWereRemovedByHand() {
        this.scripts.shared(Map.of());
        this.redis.command("HSET", KEY, "s", "1:1:" + FAR + ':');

        assertThat(this.scripts.refusal("w")).hasSize(5).doesNotContainNull();
        assertThat(this.scripts.acquire("w")).isGreaterThan(1);
    }

    @Test
    void shouldDropWhatHasExpired() {
        this.scripts.shared(Map.of("dead.r", 1_000L, "a.r", FAR));
        Map<String, Long> line = new LinkedHashMap<>();
        line.put("gone", 1_000L);
        line.put("w", FAR);
        this.scripts.line("one+", line);

        assertThat(this.scripts.renew("dead.r")).isEqualTo(List.of(1L, 0L));
        assertThat(this.scripts.join("b.r", "one+")).isNegative();

        assertThat(this.redis.hgetall(KEY)).containsOnlyKeys("o", "f", "q", "s", "h:a.r", "e:2", "w:w", "e:3", "w:b.r");
        assertThat(this.scripts.waiting()).containsExactly("w", "b.r");
    }

    @Test
    void shouldTreatAMarkerWithoutLiveHoldersAsFree() {
        this.scripts.shared(Map.of("dead.r", 1_000L));
        assertThat(this.scripts.release("dead.r")).isZero();
        assertThat(this.scripts.keep("dead.r", 5_000)).isZero();
        assertThat(this.scripts.downgrade("dead")).isZero();

        assertThat(this.scripts.acquire("w")).isGreaterThan(1);

        assertThat(this.redis.hgetall(KEY)).containsOnlyKeys("o", "f").containsEntry("o", "w");
    }

    @Test
    void shouldIgnoreHoldersThatItCannotRead() {
        this.scripts.shared(Map.of("a.r", FAR));
        this.redis.command("HSET", KEY, "h:b.r", "garbage", "h:", "", "w:c", "garbage", "s", "garbage");

        assertThat(this.scripts.renew("b.r")).isEqualTo(List.of(1L, 0L));
        assertThat(this.scripts.release("a.r")).isEqualTo(1);

        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldRefuseAKeyThatIsNoLock() {
        this.redis.command("SET", KEY, "text");
        assertThatItIsNoLock();
        assertThat(this.scripts.release("a.r")).isEqualTo(-1);
        assertThat(this.scripts.keep("a.r", 1_000)).isEqualTo(-1);
        assertThat(this.scripts.renew("a.r")).isEqualTo(List.of(1L, -1L));
        assertThat(this.redis.get(KEY)).isEqualTo("text");

        this.redis.command("DEL", KEY);
        this.redis.command("HSET", KEY, "any", "value");
        assertThatItIsNoLock();
        assertThat(this.redis.hgetall(KEY)).containsOnlyKeys("any");
    }

    private void assertThatItIsNoLock() {
        for (String id : List.of("a.r", "a.s1.2")) {
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(() -> this.scripts.join(id, "one+"))
                    .withMessageContaining("WRONGTYPE");
        }
    }
}
