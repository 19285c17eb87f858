package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A lock that is kept for its minimum hold expires at that time, whatever is executed late or again. */
@RedisTest
class KeepScriptTest {

    private static final long HOLD = 30_000;

    private final RedisCli redis;

    private final LockScripts scripts;

    KeepScriptTest(RedisCli redis) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
    }

    @BeforeEach
    void acquire() {
        this.scripts.acquire("me");
    }

    private void keep() {
        assertThat(this.scripts.keep("me", HOLD)).isEqualTo(1);
    }

    private void assertThatItIsKept() {
        this.scripts.assertThatLeaseIs(HOLD);
        assertThat(this.scripts.acquire("you")).isBetween(-HOLD, -HOLD + 5_000);
    }

    @Test
    void shouldSetTheTime() {
        long token = this.scripts.token();

        keep();

        assertThatItIsKept();
        assertThat(this.scripts.token()).isEqualTo(token);
    }

    @Test
    void shouldOutlastTheLease() {
        this.redis.command("PEXPIRE", LockScripts.KEY, "5000");

        keep();

        assertThatItIsKept();
    }

    @Test
    void shouldNotBeLengthenedByALateRenewal() {
        keep();

        assertThat(this.scripts.renew("me")).as("taken").isEqualTo(List.of(1L, -1L));

        assertThatItIsKept();
    }

    @Test
    void shouldNotBeLengthenedByALateAcquire() {
        keep();

        assertThat(this.scripts.acquire("me")).isBetween(-HOLD, -HOLD + 5_000);

        assertThatItIsKept();
    }

    @Test
    void shouldNotBeWaitedForByALateAcquire() {
        keep();

        assertThat(this.scripts.join("me", "one")).isBetween(-HOLD, -HOLD + 5_000);
        assertThat(this.scripts.join("you", "two")).isNegative();

        assertThat(this.scripts.waiting()).containsExactly("you");
        assertThatItIsKept();
    }

    @Test
    void shouldNotBeEndedByALateRelease() {
        keep();

        assertThat(this.scripts.release("me")).as("taken").isEqualTo(-1);
        assertThat(this.scripts.releaseTo("next", "me", "one")).isEqualTo(-1);

        assertThatItIsKept();
        assertThat(this.scripts.line()).isEmpty();
    }

    @Test
    void shouldNotBeLengthenedByARepetition() {
        keep();
        this.redis.command("PEXPIRE", LockScripts.KEY, "10000");

        assertThat(this.scripts.keep("me", HOLD)).as("kept").isEqualTo(1);

        this.scripts.assertThatLeaseIs(10_000);
    }

    @Test
    void shouldEndEarlierIfAskedTo() {
        keep();

        assertThat(this.scripts.keep("me", 10_000)).isEqualTo(1);

        this.scripts.assertThatLeaseIs(10_000);
    }

    @Test
    void shouldGiveAnEndToWhatHasNone() {
        keep();
        this.redis.command("PERSIST", LockScripts.KEY);

        assertThat(this.scripts.keep("me", HOLD)).isEqualTo(1);

        assertThatItIsKept();
    }

    @Test
    void shouldLeaveTheLineAsItIs() {
        this.scripts.join("head", "one");
        this.scripts.join("tail", "two");

        keep();

        assertThat(this.scripts.waiting()).containsExactly("head", "tail");
        assertThat(this.scripts.release("head")).as("leaves the line").isEqualTo(3);
        assertThat(this.scripts.waiting()).containsExactly("tail");
        assertThatItIsKept();
    }

    @Test
    void shouldBeTakenFromTheOwnerThatIsStored() {
        this.scripts.join("head", "");
        keep();

        assertThat(this.scripts.release(this.scripts.owner())).isEqualTo(1);

        assertThat(this.scripts.owner()).isEqualTo("head");
        assertThat(this.scripts.keep("me", HOLD)).as("late").isEqualTo(-1);
        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
    }

    @Test
    void shouldNotShortenTheLeaseOfAnother() {
        assertThat(this.scripts.keep("you", 1)).isEqualTo(-1);

        assertThat(this.scripts.owner()).isEqualTo("me");
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldNotCreateWhatIsGone() {
        this.redis.flushall();

        assertThat(this.scripts.keep("me", HOLD)).isZero();

        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldLeaveWhatIsNoHash() {
        this.redis.command("SET", LockScripts.KEY, "theirs");

        assertThat(this.scripts.keep("me", HOLD)).isEqualTo(-1);

        assertThat(this.redis.get(LockScripts.KEY)).isEqualTo("theirs");
    }
}
