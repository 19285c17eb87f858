package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.redis.script.LockScripts.Receivers;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.List;
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

    private long serverMicros() {
        List<?> time = (List<?>) this.redis.command("TIME");
        return Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
    }

    @Test
    void shouldBeTheTimeOfTheServerIfThatIsTheLargest() {
        this.scripts.held("me", 42);
        this.scripts.join("waiter", "");
        long before = serverMicros();

        this.scripts.release("me", 43, Receivers.COUNT);

        assertThat(this.scripts.token()).isBetween(before, serverMicros());
        before = serverMicros();
        assertThat(this.scripts.releaseTo("next", "waiter", "", 44, Receivers.COUNT))
                .isEqualTo(this.scripts.token())
                .isBetween(before, serverMicros());
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
    void shouldBeOneMoreThanTheLastOneUsedIfThatIsLarger() {
        this.scripts.held("me", FUTURE);
        this.scripts.join("waiter", "");

        this.scripts.release("me", FUTURE + 64, Receivers.COUNT);

        assertThat(this.scripts.token()).isEqualTo(FUTURE + 65);
    }

    @Test
    void shouldNotFallBehindTheStoredOneIfTheLastOneUsedIsSmaller() {
        this.scripts.held("me", FUTURE);

        assertThat(this.scripts.releaseTo("next", "me", "", FUTURE - 10, Receivers.COUNT))
                .isEqualTo(FUTURE + 1);
    }

    @Test
    void shouldGiveTheSuccessorOneMoreThanTheLastOneUsed() {
        this.scripts.held("me", FUTURE);

        assertThat(this.scripts.releaseTo("next", "me", "", FUTURE + 10, Receivers.COUNT))
                .isEqualTo(FUTURE + 11)
                .isEqualTo(this.scripts.token());
        assertThat(this.scripts.acquire("next"))
                .as("asked again, by the other script")
                .isEqualTo(FUTURE + 11);
        assertThat(this.scripts.releaseTo("next", "me", "", FUTURE + 10, Receivers.COUNT))
                .as("repeated")
                .isEqualTo(FUTURE + 11);
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

    @Test
    void shouldGrowWithEachGrantFromTheLine() {
        long last = this.scripts.acquire("id0");
        for (int i = 1; i <= 200; i++) {
            this.scripts.join("id" + i, "");
            this.scripts.release("id" + (i - 1));
            assertThat(this.scripts.owner()).isEqualTo("id" + i);
            assertThat(this.scripts.token()).isGreaterThan(last);
            last = this.scripts.token();
        }
    }
}
