package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Test;

/**
 * Releasing a shared lock late, when the next waiter of the instance has already asked by a command of its own. Its acquisition
 * must not be in the line then, because a grant to it from the line would be claimed by no caller.
 */
@RedisTest
class LateReleaseScriptTest {

    private static final String KEY = LockScripts.KEY;

    private final RedisCli redis;

    private final LockScripts scripts;

    private final InboxReader inboxes;

    LateReleaseScriptTest(RedisCli redis, RedisCli listener) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
        this.inboxes = new InboxReader(listener, redis, "mine", "one");
    }

    @Test
    void shouldReplyWithTheTokenOfASuccessorThatHolds() {
        this.scripts.acquire("me.r");
        long token = this.scripts.acquire("next.r", 3_000);

        assertThat(this.scripts.releaseTo("next.r", "me.r", "mine")).isEqualTo(token);

        assertThat(this.scripts.holders()).containsExactly("next.r");
        assertThat(this.scripts.waiting()).isEmpty();
        assertThat(this.scripts.ofHolder("next.r", 2)).isEqualTo(token);
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
        assertThat(this.redis.hgetall(KEY).get("s")).startsWith("1:1:");
    }

    @Test
    void shouldGrantToThoseInLineWhatTheReleaseMakesFree() {
        this.scripts.acquire("me.s2.3");
        long token = this.scripts.acquire("next.s1.3");
        this.scripts.join("first.s2.3", "one");

        assertThat(this.scripts.releaseTo("next.s1.3", "me.s2.3", "mine")).isEqualTo(token);

        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("next.s1.3", "first.s2.3");
        assertThat(this.scripts.waiting()).isEmpty();
        assertThat(this.redis.hgetall(KEY).get("s")).startsWith("2:3:");
        assertThat(this.inboxes.notified()).containsExactly("one");
    }

    @Test
    void shouldNotPutASuccessorIntoTheLineThatHolds() {
        this.scripts.acquire("me.r");
        this.scripts.acquire("other.r");
        long token = this.scripts.acquire("next.r");
        this.scripts.join("writer", "one");

        assertThat(this.scripts.releaseTo("next.r", "me.r", "mine")).isEqualTo(token);

        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("other.r", "next.r");
        assertThat(this.scripts.waiting()).containsExactly("writer");
        assertThat(this.inboxes.messages()).isEmpty();
    }

    @Test
    void shouldNotPutASuccessorIntoTheLineThatIsKeptForAMinimumHold() {
        this.scripts.acquire("me.r");
        this.scripts.acquire("next.r");
        this.scripts.keep("next.r", 30_000);

        assertThat(this.scripts.releaseTo("next.r", "me.r", "mine")).isEqualTo(1);

        assertThat(this.scripts.holders()).containsExactly("~knext.r");
        assertThat(this.scripts.waiting()).isEmpty();
        assertThat(this.redis.hgetall(KEY).get("s")).startsWith("1:1:");
    }

    @Test
    void shouldNotPutASuccessorIntoTheLineThatHasBecomeAReader() {
        this.scripts.acquire("next");
        this.scripts.downgrade("next");
        this.scripts.acquire("me.r");

        assertThat(this.scripts.releaseTo("next", "me.r", "mine")).isEqualTo(1);

        assertThat(this.scripts.holders()).containsExactly("next.r");
        assertThat(this.scripts.waiting()).isEmpty();
    }
}
