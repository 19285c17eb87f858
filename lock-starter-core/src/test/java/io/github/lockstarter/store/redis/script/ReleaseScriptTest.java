package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Giving a lock back for which nobody waits. */
@RedisTest
class ReleaseScriptTest {

    private static final String KEY = LockScripts.KEY;

    private final RedisCli redis;

    private final LockScripts scripts;

    ReleaseScriptTest(RedisCli redis) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
    }

    @Test
    void shouldFreeTheLockOfTheOwner() {
        this.scripts.held("me", 42);

        assertThat(this.scripts.release("me")).isEqualTo(1);

        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldTellNobodyIfNobodyWaits() {
        this.scripts.held("me", 42);
        this.redis.command("CONFIG", "RESETSTAT");

        assertThat(this.scripts.release("me")).isEqualTo(1);

        assertThat(this.redis.infoCommandStats()).containsKey("del").doesNotContainKey("publish");
    }

    @Test
    void shouldHaveTheEffectOfOneReleaseIfItIsRepeated() {
        this.scripts.held("me", 42);

        assertThat(this.scripts.release("me")).isEqualTo(1);
        assertThat(this.scripts.release("me")).isEqualTo(0);

        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldNotFreeTheLockOfTheNextOwnerIfItIsRepeated() {
        this.scripts.held("me", 42);
        assertThat(this.scripts.release("me")).isEqualTo(1);
        this.scripts.held("you", 43);

        assertThat(this.scripts.release("me")).isEqualTo(-1);

        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("o", "you", "f", "43"));
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldFindNothingToFree() {
        assertThat(this.scripts.release("me")).isEqualTo(0);

        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldLeaveWhatIsNoHash() {
        this.redis.command("SET", KEY, "theirs");

        assertThat(this.scripts.release("me")).isEqualTo(-1);
        assertThat(this.scripts.releaseTo("next", "me", "")).isEqualTo(-1);

        assertThat(this.redis.get(KEY)).isEqualTo("theirs");
        assertThat(this.redis.pttl(KEY)).isEqualTo(-1);
    }

    @Test
    void shouldLeaveAHashThatIsNoLock() {
        this.redis.command("HSET", KEY, "data", "theirs");

        assertThat(this.scripts.release("me")).isEqualTo(0);
        assertThat(this.scripts.releaseTo("next", "me", "")).isEqualTo(0);

        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("data", "theirs"));
        assertThat(this.redis.pttl(KEY)).isEqualTo(-1);
    }
}
