package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What still works for locks in shared use when the server has no memory left: everything but new grants and entries. */
@RedisTest
class FullRedisSharedScriptTest {

    private static final String KEY = LockScripts.KEY;

    private final RedisCli redis;

    private final LockScripts scripts;

    private final InboxReader inboxes;

    FullRedisSharedScriptTest(RedisCli redis, RedisCli listener) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
        this.inboxes = new InboxReader(listener, redis, "one", "two");
    }

    private void fill() {
        this.redis.command("CONFIG", "SET", "maxmemory", "1");
        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> this.redis.command("SET", "any", "value"))
                .withMessageStartingWith("OOM");
    }

    private void writerWithALine() {
        this.scripts.acquire("w");
        this.scripts.join("a.r", "one");
        this.scripts.join("b.r", "two");
        this.scripts.join("w2", "one");
    }

    @Test
    void shouldRenew() {
        this.scripts.acquire("a.r", 5_000);
        fill();

        assertThat(this.scripts.renew("a.r")).isEmpty();

        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldRelease() {
        this.scripts.acquire("a.r");
        this.scripts.acquire("b.r");
        fill();

        assertThat(this.scripts.release("a.r")).isEqualTo(1);
        assertThat(this.scripts.holders()).containsExactly("b.r");
        assertThat(this.scripts.release("b.r")).isEqualTo(1);

        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldGrantAlongTheLine() {
        writerWithALine();
        fill();

        assertThat(this.scripts.release("w")).isEqualTo(1);

        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("a.r", "b.r");
        assertThat(this.scripts.waiting()).containsExactly("w2");
        assertThat(this.inboxes.notified()).containsExactly("one", "two");
        this.scripts.release("a.r");
        this.scripts.release("b.r");
        assertThat(this.scripts.owner()).isEqualTo("w2");
    }

    @Test
    void shouldLetReadersClaim() {
        writerWithALine();
        fill();
        this.scripts.release("w");

        assertThat(this.scripts.join("a.r", "one")).isEqualTo(this.scripts.ofHolder("a.r", 2));

        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldDowngrade() {
        writerWithALine();
        fill();

        assertThat(this.scripts.downgrade("w")).isPositive();

        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("w.r", "a.r", "b.r");
        assertThat(this.scripts.waiting()).containsExactly("w2");
    }

    @Test
    void shouldLeaveAndGrantToThoseBehind() {
        this.scripts.acquire("a.r");
        this.scripts.join("w", "one");
        this.scripts.join("b.r", "two");
        fill();

        assertThat(this.scripts.release("w")).isEqualTo(3);

        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("a.r", "b.r");
    }

    @Test
    void shouldGrantToTheSuccessor() {
        this.scripts.acquire("a.r");
        fill();

        assertThat(this.scripts.releaseTo("b.r", "a.r", "one")).isPositive();

        assertThat(this.scripts.holders()).containsExactly("b.r");
    }

    @Test
    void shouldKeepForAMinimumHold() {
        this.scripts.acquire("a.r");
        fill();

        assertThat(this.scripts.keep("a.r", 30_000)).isEqualTo(1);

        assertThat(this.scripts.holders()).containsExactly("~ka.r");
        this.scripts.assertThatLeaseIs(30_000);
    }

    @Test
    void shouldPoll() {
        this.scripts.acquire("a.r");
        this.scripts.join("w", "one");
        this.scripts.line("one", Map.of("w", 1_000L));
        fill();

        assertThat(this.scripts.join("w", "one")).isNegative();

        assertThat(this.scripts.deadlineOf("w")).isGreaterThan(1_000);
        assertThat(this.scripts.waiting()).containsExactly("w");
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldGrantToThoseThatPollAfterACrash() {
        this.scripts.shared(Map.of("dead.r", 1_000L));
        this.scripts.line("one", Map.of("w", 9_000_000_000_000L));
        fill();

        assertThat(this.scripts.join("w", "one")).isPositive();

        assertThat(this.scripts.owner()).isEqualTo("w");
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldRefuseNewReadersAndEntriesWithoutAChange() {
        this.scripts.acquire("a.r");
        fill();
        Map<String, String> before = this.redis.hgetall(KEY);

        assertThatExceptionOfType(RedisErrorException.class)
                .isThrownBy(() -> this.scripts.join("b.r", "one"))
                .withMessageContaining("OOM");
        assertThat(this.scripts.join("w", "one"))
                .as("told that the lock is taken")
                .isNegative();

        assertThat(this.redis.hgetall(KEY)).isEqualTo(before);
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldGrantNothingNew() {
        fill();

        for (String id : new String[] {"a.r", "a.s1.2"}) {
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(() -> this.scripts.join(id, "one"))
                    .withMessageContaining("OOM");
        }
        this.scripts.assertThatNobodyOwnsIt();
    }
}
