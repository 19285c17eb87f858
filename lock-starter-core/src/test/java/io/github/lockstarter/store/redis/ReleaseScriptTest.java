package io.github.lockstarter.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The two scripts that free a lock: for its owner, and by force. */
@RedisTest
class ReleaseScriptTest {

    private static final String KEY = "lock:{a}";

    private static final String CHANNEL = "lock:released";

    private final RedisCli redis;

    private final RedisCli listener;

    ReleaseScriptTest(RedisCli redis, RedisServer server, RedisCli listener) {
        this.redis = redis;
        this.listener = listener;
    }

    @BeforeEach
    void listen() {
        this.listener.command("SUBSCRIBE", CHANNEL);
    }

    private Object release(String id) {
        return this.redis.command("EVAL", LuaScript.RELEASE.getScriptAsString(), "1", KEY, id, CHANNEL, "a");
    }

    private void lock(String owner) {
        this.redis.command("HSET", KEY, "o", owner, "f", "42");
        this.redis.command("PEXPIRE", KEY, "10000");
    }

    private void assertThatOneMessageCame() {
        // whatever else was published before this would have come first
        this.redis.command("PUBLISH", CHANNEL, "the end");
        assertThat(this.listener.read()).isEqualTo(List.of("message", CHANNEL, "a"));
        assertThat(this.listener.read()).isEqualTo(List.of("message", CHANNEL, "the end"));
    }

    private void assertThatNoMessageCame() {
        this.redis.command("PUBLISH", CHANNEL, "the end");
        assertThat(this.listener.read()).isEqualTo(List.of("message", CHANNEL, "the end"));
    }

    @Test
    void shouldFreeTheLockOfTheOwnerAndSaySo() {
        lock("me");

        assertThat(release("me")).isEqualTo(1L);

        assertThat(this.redis.command("DBSIZE")).isEqualTo(0L);
        assertThatOneMessageCame();
    }

    @Test
    void shouldHaveTheEffectOfOneReleaseIfItIsRepeated() {
        lock("me");

        assertThat(release("me")).isEqualTo(1L);
        assertThat(release("me")).isEqualTo(0L);

        assertThatOneMessageCame();
    }

    @Test
    void shouldNotFreeTheLockOfTheSuccessorIfItIsRepeated() {
        lock("me");
        assertThat(release("me")).isEqualTo(1L);
        lock("you");

        assertThat(release("me")).isEqualTo(-1L);

        assertThat(this.redis.hgetall(KEY)).isEqualTo(Map.of("o", "you", "f", "42"));
        assertThat(this.redis.pttl(KEY)).isGreaterThan(9_000L);
        assertThatOneMessageCame();
    }

    @Test
    void shouldFindNothingToFree() {
        assertThat(release("me")).isEqualTo(0L);
        assertThatNoMessageCame();
    }

    @Test
    void shouldLeaveWhatIsNoHash() {
        this.redis.command("SET", KEY, "theirs");

        assertThat(release("me")).isEqualTo(-1L);

        assertThat(this.redis.get(KEY)).isEqualTo("theirs");
        assertThatNoMessageCame();
    }

    @Test
    void shouldWorkOnAFullRedis() {
        lock("me");
        this.redis.command("CONFIG", "SET", "maxmemory", "1");

        assertThat(release("me")).isEqualTo(1L);
        assertThat(this.redis.exists(KEY)).isFalse();
        assertThatOneMessageCame();
    }
}
