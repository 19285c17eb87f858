package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What still works when the server has no memory left: everything but new grants and new places in the line. */
@RedisTest
class FullRedisScriptTest {

    private final RedisCli redis;

    private final LockScripts scripts;

    private final InboxReader inboxes;

    FullRedisScriptTest(RedisCli redis, RedisCli listener) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
        this.inboxes = new InboxReader(listener, redis, "one", "two");
    }

    private void lockWithALine() {
        this.scripts.acquire("me");
        this.scripts.join("head", "one");
        this.scripts.join("middle", "two");
        this.scripts.join("tail", "one");
    }

    private void fill() {
        this.redis.command("CONFIG", "SET", "maxmemory", "1");
        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> this.redis.command("SET", "any", "value"))
                .withMessageStartingWith("OOM");
    }

    @Test
    void shouldHandOverToTheHead() {
        lockWithALine();
        long token = this.scripts.token();
        fill();

        assertThat(this.scripts.release("me")).isEqualTo(1);

        assertThat(this.scripts.owner()).isEqualTo("head");
        assertThat(this.scripts.token()).isGreaterThan(token);
        assertThat(this.scripts.waiting()).containsExactly("middle", "tail");
        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
        assertThat(this.inboxes.notified()).containsExactly("one");
    }

    @Test
    void shouldKeepTheLockForTheSuccessor() {
        this.scripts.acquire("me");
        fill();

        assertThat(this.scripts.releaseTo("next", "me", "one")).isEqualTo(this.scripts.token());

        assertThat(this.scripts.owner()).isEqualTo("next");
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldKeepForAMinimumHold() {
        lockWithALine();
        fill();

        assertThat(this.scripts.keep("me", 30_000)).isEqualTo(1);
        assertThat(this.scripts.renew("me")).isEqualTo(List.of(1L, -1L));
        assertThat(this.scripts.keep("me", 40_000)).as("once more").isEqualTo(1);

        this.scripts.assertThatLeaseIs(30_000);
        assertThat(this.scripts.waiting()).containsExactly("head", "middle", "tail");
    }

    @Test
    void shouldLeaveTheMiddleOfTheLine() {
        lockWithALine();
        fill();

        assertThat(this.scripts.release("middle")).isEqualTo(3);

        assertThat(this.scripts.line()).isEqualTo(";head:one:20000;tail:one:20000");
        assertThat(this.scripts.owner()).isEqualTo("me");
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldGrantNothingNew() {
        fill();

        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> this.scripts.join("me", "one"))
                .withMessageContaining("OOM");
        this.scripts.assertThatNobodyOwnsIt();
    }
}
