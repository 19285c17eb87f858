package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.redis.script.LockScripts.Receivers;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Test;

/** Tokens of grants by a release: above the server's time, the stored one and the last one used, in all digits. */
@RedisTest
class FencingTokenScriptTest {

    /** Ahead of every clock until the year 2112, and odd: a number that loses digits becomes another. */
    private static final long FUTURE = (1L << 52) - 123_456_789L;

    private final RedisCli redis;

    private final LockScripts scripts;

    FencingTokenScriptTest(RedisCli redis) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
    }

    @Test
    void shouldBeOneMoreThanTheStoredOneIfTheClockIsBehindIt() {
        this.scripts.held("me", FUTURE);
        this.scripts.join("waiter", "");

        this.scripts.release("me");
        assertThat(this.scripts.token()).isEqualTo(FUTURE + 1);

        this.scripts.release("waiter", 0, Receivers.COUNT);
        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldKeepAllDigits() {
        long token = FUTURE;
        this.scripts.held("id0", token);
        for (int i = 1; i <= 100; i++) {
            // through the reply, through the argument and through the field, in turn
            long last = i % 2 == 0 ? token : token + i;
            token = this.scripts.releaseTo("id" + i, "id" + (i - 1), "", last, Receivers.COUNT);
            assertThat(token).isEqualTo(last + 1);
            assertThat(this.redis.hgetall(LockScripts.KEY)).containsEntry("f", Long.toString(token));
        }
    }
}
