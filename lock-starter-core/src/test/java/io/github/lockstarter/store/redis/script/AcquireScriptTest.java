package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Taking a lock, without joining the waiting line. */
@RedisTest
class AcquireScriptTest {

    private static final String KEY = LockScripts.KEY;

    private final RedisCli redis;

    AcquireScriptTest(RedisCli redis) {
        this.redis = redis;
    }

    private long acquire(String id, long lease) {
        return new LockScripts(this.redis).acquire(id, lease);
    }

    @Test
    void shouldGrantAFreeLock() {
        long token = acquire("me", 10_000);

        assertThat(token).isPositive();
        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("o", "me", "f", Long.toString(token)));
        assertThat(this.redis.pttl(KEY)).isBetween(9_000L, 10_000L);
        assertThat(this.redis.command("DBSIZE")).isEqualTo(1L);
    }

    @Test
    void shouldGiveTheTimeOfTheServerInMicrosecondsForAToken() {
        long before = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

        long token = acquire("me", 10_000);

        assertThat(token)
                .as("no digit is lost on the way")
                .isBetween(before - 5_000_000, before + 5_000_000)
                .isEqualTo(Long.parseLong(this.redis.hgetall(KEY).get("f")));
    }

    @Test
    void shouldAnswerTheOwnerAgainWithTheSameTokenAndTheFullLease() {
        long token = acquire("me", 2_000);

        assertThat(acquire("me", 10_000)).isEqualTo(token);
        assertThat(this.redis.pttl(KEY)).isBetween(9_000L, 10_000L);
        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("o", "me", "f", Long.toString(token)));
    }

    @Test
    void shouldNotShortenTheLeaseOfTheOwner() {
        long token = acquire("me", 10_000);

        assertThat(acquire("me", 2_000)).isEqualTo(token);
        assertThat(this.redis.pttl(KEY))
                .as("a late attempt, after the lease was lengthened")
                .isGreaterThan(9_000L);
    }

    @Test
    void shouldTellOthersHowLongTheHolderStillHasAndChangeNothing() {
        long token = acquire("me", 10_000);

        assertThat(acquire("you", 60_000)).isBetween(-10_000L, -9_000L);

        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("o", "me", "f", Long.toString(token)));
        assertThat(this.redis.pttl(KEY)).isLessThanOrEqualTo(10_000L);
    }

    @Test
    void shouldTellOthersOfAHolderWithoutAnEnd() {
        this.redis.command("HSET", KEY, "o", "me", "f", "1");

        assertThat(acquire("you", 1_000)).isEqualTo(-(1L << 52));
        assertThat(this.redis.pttl(KEY)).isEqualTo(-1);
    }

    @Test
    void shouldNeverAnswerZero() {
        acquire("me", 1);
        // until it has run out, whoever asks hears of at least a millisecond
        long reply = acquire("you", 10_000);
        assertThat(reply == 0).isFalse();
        assertThat(reply)
                .satisfiesAnyOf(
                        taken -> assertThat(taken).isEqualTo(-1L),
                        granted -> assertThat(granted).isPositive());
    }

    @Test
    void shouldGiveEachGrantALargerToken() {
        long last = 0;
        for (int i = 0; i < 200; i++) {
            long token = acquire("id" + i, 10_000);
            assertThat(token).isGreaterThan(last);
            last = token;
            this.redis.command("DEL", KEY);
        }
    }

    @Test
    void shouldLeaveAHashAloneThatIsNoLock() {
        this.redis.command("HSET", KEY, "data", "theirs");

        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> acquire("me", 1_000))
                .withMessageStartingWith("WRONGTYPE");

        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("data", "theirs"));
        assertThat(this.redis.pttl(KEY)).isEqualTo(-1);
    }

    @Test
    void shouldLeaveAKeyAloneThatIsNoHash() {
        this.redis.command("SET", KEY, "theirs");

        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> acquire("me", 1_000))
                .withMessageContaining("WRONGTYPE");

        assertThat(this.redis.get(KEY)).isEqualTo("theirs");
        assertThat(this.redis.pttl(KEY)).isEqualTo(-1);
    }

    @Test
    void shouldLeaveNothingOnAFullRedis() {
        this.redis.command("CONFIG", "SET", "maxmemory", "1");

        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> acquire("me", 1_000))
                .withMessageContaining("OOM");

        assertThat(this.redis.exists(KEY)).isFalse();
    }

    @Test
    void shouldAnswerTheOwnerAndOthersOnAFullRedis() {
        long token = acquire("me", 10_000);
        this.redis.command("CONFIG", "SET", "maxmemory", "1");

        assertThat(acquire("me", 10_000)).isEqualTo(token);
        assertThat(acquire("you", 10_000)).isNegative();
    }

    @Test
    void shouldTouchOnlyItsKey() {
        this.redis.command("CONFIG", "RESETSTAT");
        acquire("me", 10_000);

        acquire("you", 10_000);

        assertThat(this.redis.command("KEYS", "*")).isEqualTo(List.of(KEY));
        assertThat(this.redis.infoCommandStats()).doesNotContainKeys("publish", "wait", "set");
    }
}
