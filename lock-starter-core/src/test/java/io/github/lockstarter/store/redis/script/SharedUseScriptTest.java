package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The data of a lock in shared use, and what an earlier version or an error may have left of it. */
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

        assertThat(fields).containsOnlyKeys("o", "f", "q", "h:a.r", "w:w");
        assertThat(fields).containsEntry("o", "~r").containsEntry("f", Long.toString(token));
        assertThat(fields.get("h:a.r")).matches("\\d{13}:" + token + ":0");
        assertThat(fields).containsEntry("q", ";w:one+:20000");
        long joinedAt = this.scripts.ofHolder("a.r", 1) - LockScripts.LEASE;
        assertThat(Long.parseLong(fields.get("w:w"))).isBetween(joinedAt + 30_000, joinedAt + 35_000);
    }

    @Test
    void shouldStoreTheWeightOfPermits() {
        this.scripts.acquire("a.s2.5");

        assertThat(this.scripts.owner()).isEqualTo("~s");
        assertThat(this.scripts.ofHolder("a.s2.5", 3)).isEqualTo(2);
    }

    @Test
    void shouldExpireWithTheLastHolder() {
        this.scripts.acquire("a.r", 30_000);
        this.scripts.acquire("b.r", 100_000);
        this.scripts.acquire("c.r", 20_000);
        this.scripts.assertThatLeaseIs(100_000);

        this.scripts.release("b.r");
        this.scripts.assertThatLeaseIs(30_000);
        assertThat(this.scripts.renew("c.r")).isEmpty();
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
        this.scripts.keep("c.r", 5_000);
        this.scripts.assertThatLeaseIs(30_000);

        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("a.r", "~kc.r");
    }

    @Test
    void shouldDropWhatHasExpired() {
        this.scripts.shared(Map.of("dead.r", 1_000L, "a.r", FAR));
        this.redis.command("HSET", KEY, "q", ";gone:one+:20000;w:one+:20000", "w:gone", "1000", "w:w", FAR + "");

        assertThat(this.scripts.renew("dead.r")).isEqualTo(List.of(1L, 0L));
        assertThat(this.scripts.join("b.r", "one+")).isNegative();

        assertThat(this.redis.hgetall(KEY)).containsOnlyKeys("o", "f", "q", "h:a.r", "w:w", "w:b.r");
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
        this.redis.command("HSET", KEY, "h:b.r", "garbage", "h:", "", "w:c", "garbage");

        assertThat(this.scripts.renew("b.r")).isEqualTo(List.of(1L, 0L));
        assertThat(this.scripts.release("a.r")).isEqualTo(1);

        this.scripts.assertThatNobodyOwnsIt();
    }

    /** An earlier version has forced the lock open, acquired it, and knows nothing of the fields. */
    @Test
    void shouldIgnoreHoldersAndDeadlinesWithoutTheMarker() {
        this.scripts.held("old", 7);
        this.redis.command("HSET", KEY, "h:a.r", FAR + ":5:0", "w:b.r", "1000", "q", ";b.r:one+:20000");

        assertThat(this.scripts.renew("a.r")).isEqualTo(List.of(1L, -1L));
        assertThat(this.scripts.keep("a.r", 5_000)).isEqualTo(-1);
        assertThat(this.scripts.release("a.r")).isEqualTo(-1);
        assertThat(this.scripts.acquire("a.r")).isNegative();
        assertThat(this.scripts.downgrade("a")).isEqualTo(-1);
        assertThat(this.scripts.owner()).isEqualTo("old");
        assertThat(this.scripts.release("old", 0, LockScripts.Receivers.DO_NOT_COUNT))
                .isEqualTo(1);

        assertThat(this.redis.hgetall(KEY)).containsOnlyKeys("o", "f", "h:b.r").containsEntry("o", "~r");
        assertThat(this.scripts.ofHolder("b.r", 2)).isGreaterThan(7);
    }

    @Test
    void shouldRemoveVoidHoldersInADowngrade() {
        this.scripts.held("w", 7);
        this.redis.command("HSET", KEY, "h:a.r", FAR + ":5:0", "w:b", "1000");

        assertThat(this.scripts.downgrade("w")).isEqualTo(7);

        assertThat(this.scripts.holders()).containsExactly("w.r");
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    /** A release of an earlier version grants each id exclusively. */
    @Test
    void shouldShareWhatAnEarlierVersionGrantedExclusively() {
        this.scripts.held("a.r", 7);
        this.redis.command("PEXPIRE", KEY, "90000");
        this.redis.command("HSET", KEY, "h:void.r", FAR + ":5:0", "q", ";b.r:one+:20000;w:one+:20000");
        assertThat(this.scripts.renew("a.r")).isEmpty();

        assertThat(this.scripts.acquire("a.r", 1_000)).isEqualTo(7);

        assertThat(this.scripts.owner()).isEqualTo("~r");
        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("a.r", "b.r");
        assertThat(this.scripts.waiting()).containsExactly("w");
        assertThat(this.redis.hgetall(KEY)).containsKey("w:w");
        this.scripts.assertThatLeaseIs(90_000);
    }

    @Test
    void shouldReleaseWhatAnEarlierVersionGrantedExclusively() {
        this.scripts.held("a.s1.2", 7);
        assertThat(this.scripts.join("b.s1.2", "")).isNegative();

        assertThat(this.scripts.release("a.s1.2")).isEqualTo(1);

        assertThat(this.scripts.holders()).containsExactly("b.s1.2");
        assertThat(this.scripts.ofHolder("b.s1.2", 2)).isGreaterThan(7);
    }

    @Test
    void shouldLimitTheWaitsOfThisVersionOnlyWhenSharedUseBegins() {
        this.scripts.acquire("w");
        this.scripts.join("a.r", "one+");
        this.scripts.join("polls", "");
        this.scripts.join("reads", "one+");
        this.scripts.join("old", "one");
        assertThat(this.redis.hgetall(KEY)).containsOnlyKeys("o", "f", "q");

        this.scripts.downgrade("w");

        assertThat(this.scripts.waiting()).contains("polls", "reads", "old");
        assertThat(this.redis.hgetall(KEY)).containsKeys("w:polls", "w:reads").doesNotContainKey("w:old");
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
