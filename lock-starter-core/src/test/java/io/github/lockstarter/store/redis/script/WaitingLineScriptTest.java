package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Joining the waiting line of a lock that somebody owns. */
@RedisTest
class WaitingLineScriptTest {

    private static final String KEY = LockScripts.KEY;

    private final RedisCli redis;

    private final LockScripts scripts;

    WaitingLineScriptTest(RedisCli redis) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
    }

    @Test
    void shouldTakeAFreeLockWithoutALine() {
        assertThat(this.scripts.join("me", "one")).isPositive();

        assertThat(this.redis.hgetall(KEY)).containsOnlyKeys("o", "f");
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldTellWhoJoinsHowLongTheHolderStillHas() {
        long token = this.scripts.acquire("me", 10_000);

        assertThat(this.scripts.join("you", "one")).isBetween(-10_000L, -5_000L);

        assertThat(this.scripts.line()).isEqualTo(";you:one:20000");
        assertThat(this.scripts.owner()).isEqualTo("me");
        assertThat(this.scripts.token()).isEqualTo(token);
        assertThat(this.redis.pttl(KEY)).as("joining lengthens nothing").isLessThanOrEqualTo(10_000L);
    }

    @Test
    void shouldKeepTheOrderOfArrival() {
        this.scripts.acquire("me");
        List<String> arrived = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            // neither their ids nor their instances are in any order
            String id = "id" + (i * 37 % 50);
            this.scripts.join(id, "instance" + i % 7);
            arrived.add(id);
        }

        assertThat(this.scripts.waiting()).isEqualTo(arrived);
        for (String id : arrived) {
            this.scripts.release(this.scripts.owner(), 0, LockScripts.Receivers.DO_NOT_COUNT);
            assertThat(this.scripts.owner()).isEqualTo(id);
        }
        assertThat(this.scripts.line()).isEmpty();
    }

    @Test
    void shouldKeepOneEntryHoweverOftenItAsks() {
        this.scripts.acquire("me");
        for (int times = 0; times < 3; times++) {
            this.scripts.join("first", "one");
            this.scripts.join("second", "two");
            this.scripts.join("third", "one");
        }

        assertThat(this.scripts.line()).isEqualTo(";first:one:20000;second:two:20000;third:one:20000");
    }

    @Test
    void shouldWriteOneFieldAtAPoll() {
        this.scripts.acquire("me");
        this.scripts.join("you", "one");
        Map<String, String> before = this.redis.hgetall(KEY);
        this.redis.command("CONFIG", "RESETSTAT");

        this.scripts.join("you", "one");

        assertThat(this.redis.infoCommandStats())
                .containsEntry("hset", 1L)
                .doesNotContainKeys("pexpire", "hget", "hgetall");
        Map<String, String> after = this.redis.hgetall(KEY);
        before.remove("w:you");
        after.remove("w:you");
        assertThat(after).isEqualTo(before);
    }

    /** Not read as a whole, so that a poll costs the same beside one waiter and beside thousands. */
    @Test
    void shouldPollMoreSeldomFarBehind() {
        this.scripts.acquire("me");
        List<Long> intervals = new ArrayList<>();
        for (int i = 0; i < 270; i++) {
            intervals.add(this.scripts.joinFor("id" + i));
        }

        assertThat(intervals.subList(0, 9)).containsOnly(LockScripts.CLAIM / 2);
        assertThat(intervals.get(24)).isEqualTo(LockScripts.CLAIM / 2 * 3);
        assertThat(intervals.subList(25, 32))
                .as("before the next deadline and one interval more")
                .allMatch(interval -> interval > LockScripts.CLAIM / 2 * 3 && interval <= LockScripts.CLAIM / 2 * 4);
        assertThat(intervals.subList(256, 270))
                .as("behind those that find what is dead")
                .containsOnly(LockScripts.CLAIM / 2 * 32);
        assertThat(this.scripts.deadlineOf("id31") - this.scripts.deadlineOf("id0"))
                .as("three intervals each")
                .isBetween(LockScripts.CLAIM / 2 * 6, LockScripts.CLAIM / 2 * 9 + 5_000);
        assertThat(this.scripts.joinFor("id24")).as("its next poll").isEqualTo(LockScripts.CLAIM / 2 * 3);
        for (int i = 0; i < 24; i++) {
            this.scripts.release("id" + i);
        }
        assertThat(this.scripts.joinFor("id24")).as("in front").isEqualTo(LockScripts.CLAIM / 2);
    }

    @Test
    void shouldRemoveEntriesThatHaveNotPolledForThreeIntervals() throws Exception {
        this.scripts.acquire("me");
        for (int i = 0; i < 40; i++) {
            this.scripts.join("dead" + i, "one", 20);
        }
        this.scripts.join("polls", "one", 20);
        this.scripts.join("alive", "one");
        // The deadline of the last of them is three intervals of 50 ms away.
        Awaitility.await().until(() -> {
            this.scripts.join("polls", "one", 20);
            return this.scripts.waiting().size() == 2;
        });

        assertThat(this.scripts.waiting()).containsExactly("polls", "alive");
        assertThat(this.redis.hgetall(KEY))
                .hasSize(7)
                .containsEntry("e:1", "polls")
                .containsEntry("e:2", "alive");
        this.scripts.join("polls", "one");
        this.scripts.release("me", 0, LockScripts.Receivers.DO_NOT_COUNT);
        assertThat(this.scripts.owner()).isEqualTo("polls");
    }

    /** The entry that polls is alive, however late it is. */
    @Test
    void shouldKeepTheEntryThatPollsLate() {
        this.scripts.acquire("me");
        Map<String, Long> line = new LinkedHashMap<>();
        line.put("dead", 1_000L);
        line.put("late", 1_000L);
        this.scripts.line("one", line);

        assertThat(this.scripts.join("late", "one")).isNegative();

        assertThat(this.scripts.waiting()).containsExactly("late");
    }

    @Test
    void shouldLearnInItsPlaceHowAWaiterCanBeReachedNow() {
        this.scripts.acquire("me");
        this.scripts.join("first", "");
        this.scripts.join("second", "two");
        this.scripts.join("third", "");

        this.scripts.join("first", "one", 3_000);
        this.scripts.join("second", "two", 4_000);
        this.scripts.join("third", "much-longer-than-before", 5_000);

        assertThat(this.scripts.line()).isEqualTo(";first:one:3000;second:two:4000;third:much-longer-than-before:5000");
        this.scripts.join("second", "");
        assertThat(this.scripts.line()).isEqualTo(";first:one:3000;second::20000;third:much-longer-than-before:5000");
    }

    /** Ids are found as they are: not as a part of another, not as an instance, not as a pattern. */
    @Test
    void shouldTakeNobodyForAnother() {
        this.scripts.acquire("me");
        List<String> ids = List.of("a-b_c", "b_c", "a-b", "c", "a-b_cd", "..b_c", "%w+", "one");
        ids.forEach(id -> this.scripts.join(id, "c"));
        ids.forEach(id -> this.scripts.join(id, "one"));

        assertThat(this.scripts.waiting()).isEqualTo(ids);
        for (String stranger : List.of("a", "two", "%", ".", "a-b_c:c", "")) {
            assertThat(this.scripts.release(stranger)).as(stranger).isEqualTo(-1);
        }
        for (String id : List.of("%w+", "c", "..b_c", "b_c", "a-b")) {
            assertThat(this.scripts.release(id)).as(id).isEqualTo(3);
            assertThat(this.scripts.waiting()).doesNotContain(id);
        }
        assertThat(this.scripts.waiting()).containsExactly("a-b_c", "a-b_cd", "one");
    }

    @Test
    void shouldNotMakeWhoOnlyTriesJoin() {
        this.scripts.acquire("me");
        this.scripts.join("waiter", "one");

        assertThat(this.scripts.acquire("trying")).isNegative();
        assertThat(this.scripts.acquire("waiter"))
                .as("a waiter that asks without joining keeps its place")
                .isNegative();

        assertThat(this.scripts.waiting()).containsExactly("waiter");
    }

    @Test
    void shouldNotLetWhoOnlyTriesJumpTheLine() {
        this.scripts.acquire("me");
        this.scripts.join("waiter", "");
        this.scripts.release("me");

        assertThat(this.scripts.acquire("trying")).as("the lock was never free").isBetween(-LockScripts.CLAIM, -1L);
        assertThat(this.scripts.owner()).isEqualTo("waiter");
    }

    @Test
    void shouldGiveTheFullLeaseAndTheSameTokenToWhoClaims() {
        this.scripts.acquire("me");
        this.scripts.join("waiter", "");
        this.scripts.join("behind", "");
        this.scripts.release("me");
        long token = this.scripts.token();
        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);

        assertThat(this.scripts.join("waiter", "one")).isEqualTo(token);

        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
        assertThat(this.scripts.token()).isEqualTo(token);
        assertThat(this.scripts.waiting())
                .as("who owns it does not wait for it")
                .containsExactly("behind");
        assertThat(this.scripts.acquire("waiter", 1_000)).isEqualTo(token);
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldLetTheLineDieWithTheKeyAndBeJoinedAnew() {
        this.scripts.acquire("me", 300);
        this.scripts.join("first", "one");
        this.scripts.join("second", "two");
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !this.redis.exists(KEY));

        assertThat(this.scripts.join("second", "two")).as("who asks first").isPositive();
        assertThat(this.scripts.line()).isEmpty();
        assertThat(this.scripts.join("first", "one")).isNegative();

        assertThat(this.scripts.waiting()).containsExactly("first");
    }
}
