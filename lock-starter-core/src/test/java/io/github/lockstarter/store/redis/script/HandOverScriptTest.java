package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.redis.script.LockScripts.Receivers;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Test;

/** Releasing a lock for which others stand in line. */
@RedisTest
class HandOverScriptTest {

    private static final String KEY = LockScripts.KEY;

    private final RedisCli redis;

    private final LockScripts scripts;

    private final InboxReader inboxes;

    HandOverScriptTest(RedisCli redis, RedisCli listener) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
        this.inboxes = new InboxReader(listener, redis, "one", "two", "three");
    }

    @Test
    void shouldGrantTheLockToTheHeadWithALargerTokenForAsLongAsAClaimTakes() {
        long token = this.scripts.acquire("me");
        this.scripts.join("first", "one", 15_000);
        this.scripts.join("second", "two", 25_000);

        assertThat(this.scripts.release("me")).isEqualTo(1);

        assertThat(this.scripts.owner()).isEqualTo("first");
        assertThat(this.scripts.token()).isGreaterThan(token);
        this.scripts.assertThatLeaseIs(15_000);
        assertThat(this.scripts.line()).isEqualTo(";second:two:25000");
    }

    @Test
    void shouldTellTheInboxOfTheHeadAndNoOther() {
        this.scripts.acquire("me");
        this.scripts.join("first", "two");
        this.scripts.join("second", "one");

        this.scripts.release("me");
        assertThat(this.inboxes.notified()).containsExactly("two");

        this.scripts.release("first");
        assertThat(this.inboxes.notified()).containsExactly("one");

        this.scripts.release("second");
        assertThat(this.inboxes.messages()).isEmpty();
        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldLeaveNoEmptyLine() {
        this.scripts.acquire("me");
        this.scripts.join("first", "one");

        this.scripts.release("me");

        assertThat(this.redis.hgetall(KEY)).containsOnlyKeys("o", "f");
    }

    @Test
    void shouldChangeNothingIfItIsRepeated() {
        this.scripts.acquire("me");
        this.scripts.join("first", "one");
        this.scripts.join("second", "two");
        this.scripts.release("me");
        long token = this.scripts.token();
        this.inboxes.messages();

        assertThat(this.scripts.release("me")).isEqualTo(-1);

        assertThat(this.scripts.owner()).isEqualTo("first");
        assertThat(this.scripts.token()).isEqualTo(token);
        assertThat(this.scripts.waiting()).containsExactly("second");
        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
        assertThat(this.inboxes.messages()).isEmpty();
    }

    @Test
    void shouldShortenTheLeaseToTheTimeOfAClaim() {
        this.scripts.acquire("me", 3_600_000);
        this.scripts.join("first", "one");

        this.scripts.release("me");

        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
    }

    @Test
    void shouldSkipThoseWhoseInboxNobodyReads() {
        this.scripts.acquire("me");
        this.scripts.join("dead", "gone");
        this.scripts.join("dead too", "gone too");
        this.scripts.join("alive", "two");
        this.scripts.join("behind", "one");

        assertThat(this.scripts.release("me")).isEqualTo(1);

        assertThat(this.scripts.owner()).isEqualTo("alive");
        assertThat(this.scripts.waiting()).containsExactly("behind");
        assertThat(this.inboxes.notified()).containsExactly("two");
    }

    @Test
    void shouldSkipNobodyWhereReceiversDoNotCount() {
        this.scripts.acquire("me");
        this.scripts.join("elsewhere", "read on another node");
        this.scripts.join("here", "one");

        assertThat(this.scripts.release("me", 0, Receivers.DO_NOT_COUNT)).isEqualTo(1);

        assertThat(this.scripts.owner()).isEqualTo("elsewhere");
        assertThat(this.scripts.waiting()).containsExactly("here");
        assertThat(this.inboxes.messages()).isEmpty();
    }

    @Test
    void shouldNotSkipWhoOnlyPolls() {
        this.scripts.acquire("me");
        this.scripts.join("polling", "");
        this.scripts.join("behind", "one");
        this.redis.command("CONFIG", "RESETSTAT");

        assertThat(this.scripts.release("me")).isEqualTo(1);

        assertThat(this.redis.infoCommandStats()).doesNotContainKey("publish");
        assertThat(this.scripts.owner()).isEqualTo("polling");
        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
        assertThat(this.scripts.waiting()).containsExactly("behind");
    }

    @Test
    void shouldFreeTheLockIfAllWhoWaitedAreGone() {
        this.scripts.acquire("me");
        this.scripts.join("dead", "gone");
        this.scripts.join("dead too", "gone too");

        assertThat(this.scripts.release("me")).isEqualTo(1);

        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldHandOverForAUserWhoMayNotPublish() {
        assertThatItHandsOverFor("~*", "&*", "+@all", "-publish");
    }

    @Test
    void shouldHandOverForAUserWhoMayNotUseTheChannel() {
        assertThatItHandsOverFor("~*", "resetchannels", "+@all");
    }

    private void assertThatItHandsOverFor(String... rules) {
        this.scripts.acquire("me");
        this.scripts.join("first", "one");
        this.scripts.join("second", "");
        String[] start = {"ACL", "SETUSER", "quiet", "reset", "on", ">any"};
        String[] command = new String[start.length + rules.length];
        System.arraycopy(start, 0, command, 0, start.length);
        System.arraycopy(rules, 0, command, start.length, rules.length);
        this.redis.command(command);
        try {
            this.redis.command("AUTH", "quiet", "any");

            assertThat(this.scripts.release("me")).isEqualTo(1);

            assertThat(this.scripts.owner()).isEqualTo("first");
            assertThat(this.scripts.waiting()).containsExactly("second");
            this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
        } finally {
            this.redis.command("ACL", "DELUSER", "quiet");
        }
    }
}
