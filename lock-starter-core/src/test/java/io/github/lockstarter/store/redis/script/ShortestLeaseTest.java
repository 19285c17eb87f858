package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A lease that runs out while a script sets it: up to Redis 7.0, PEXPIRE reads the clock twice and may delete the key at
 * once. What is written after that must not become a lock without an end.
 */
@RedisTest
class ShortestLeaseTest {

    /** One in about a thousand meets the moment. */
    private static final int LOCKS = 40_000;

    private static final int SENT_TOGETHER = 2_000;

    private static final String WITHOUT_END = "local count = 0 for _, key in ipairs(redis.call('KEYS', '*')) do"
            + " if redis.call('PTTL', key) == -1 then count = count + 1 end end return count";

    private final RedisCli redis;

    ShortestLeaseTest(RedisCli redis) {
        this.redis = redis;
    }

    @Test
    void shouldEndWhenItIsKept() {
        ownedThen(LuaScript.KEEP, "me", "1");
    }

    @Test
    void shouldEndWhenItGoesToTheNextWaiter() {
        ownedThen(LuaScript.RELEASE, "me", "0", "1", "next", "1", "1", "one");
    }

    @Test
    void shouldEndWhenItIsAcquired() {
        each(LuaScript.ACQUIRE, false, "me", "1");
    }

    private void ownedThen(LuaScript<?> script, String... arguments) {
        each(script, true, arguments);
    }

    private void each(LuaScript<?> script, boolean owned, String... arguments) {
        String sha = (String) this.redis.command("SCRIPT", "LOAD", script.getScriptAsString());
        for (int first = 0; first < LOCKS; first += SENT_TOGETHER) {
            for (int i = first; i < first + SENT_TOGETHER; i++) {
                String key = "lock:{" + i + "}";
                if (owned) {
                    this.redis.send("HSET", key, "o", "me", "f", "1");
                }
                List<String> call = new ArrayList<>(List.of("EVALSHA", sha, "1", key));
                call.addAll(Arrays.asList(arguments));
                this.redis.send(call.toArray(String[]::new));
            }
            for (int i = 0; i < SENT_TOGETHER * (owned ? 2 : 1); i++) {
                this.redis.read();
            }
        }
        assertThat(this.redis.command("EVAL", WITHOUT_END, "0")).isEqualTo(0L);
    }
}
