package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A waiting line into which somebody wrote by hand: it may lose its order, but no lock and nobody who waits. */
@RedisTest
class DamagedLineScriptTest {

    private static final String KEY = LockScripts.KEY;

    private final RedisCli redis;

    private final LockScripts scripts;

    DamagedLineScriptTest(RedisCli redis) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
    }

    private void damage(String line) {
        this.redis.command("HSET", KEY, "q", line);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "garbage",
                "",
                ":",
                ":::",
                "1:2",
                "1:2:2:-5",
                "1:3:3:9999999999999",
                "5:3:2:0",
                "1:99999999999:2:0",
                "%d+",
                "\u0000",
                "7"
            })
    void shouldReleaseWhatNobodyCanRead(String line) {
        this.scripts.acquire("me");
        damage(line);

        assertThat(this.scripts.release("me")).isEqualTo(1);

        this.scripts.assertThatNobodyOwnsIt();
    }

    @ParameterizedTest
    @ValueSource(strings = {"garbage", ":", "1:3:3:9999999999999", "%d+"})
    void shouldKeepTheLockForTheSuccessor(String line) {
        this.scripts.acquire("me");
        damage(line);

        assertThat(this.scripts.releaseTo("next", "me", "")).isEqualTo(this.scripts.token());

        assertThat(this.scripts.owner()).isEqualTo("next");
        assertThat(this.redis.hgetall(KEY)).as("the damage is gone").containsOnlyKeys("o", "f");
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"garbage", ":", "1:3:3:9999999999999", "%d+"})
    void shouldLetOthersJoinAndLeave(String line) {
        long token = this.scripts.acquire("me");
        damage(line);

        assertThat(this.scripts.join("waiter", "")).isNegative();
        assertThat(this.scripts.join("waiter", "")).isNegative();
        assertThat(this.scripts.line()).isEqualTo(";waiter::20000");
        assertThat(this.scripts.release("waiter")).isEqualTo(3);

        assertThat(this.scripts.owner()).isEqualTo("me");
        assertThat(this.scripts.token()).isEqualTo(token);
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }
}
