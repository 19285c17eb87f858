package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.redis.script.LockScripts.Receivers;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Test;

/** Releasing a lock for which the same instance has somebody else. */
@RedisTest
class SuccessorScriptTest {

    private static final String KEY = LockScripts.KEY;

    private final RedisCli redis;

    private final LockScripts scripts;

    private final InboxReader inboxes;

    SuccessorScriptTest(RedisCli redis, RedisCli listener) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
        this.inboxes = new InboxReader(listener, redis, "mine", "one", "one+");
    }

    @Test
    void shouldKeepTheLockIfNobodyStandsInLine() {
        long token = this.scripts.acquire("me", 3_000);

        long kept = this.scripts.releaseTo("next", "me", "mine");

        assertThat(kept).isGreaterThan(token).isEqualTo(this.scripts.token());
        assertThat(this.scripts.owner()).isEqualTo("next");
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
        assertThat(this.redis.hgetall(KEY)).containsOnlyKeys("o", "f");
        assertThat(this.inboxes.messages()).isEmpty();
    }

    @Test
    void shouldLetTheHeadGoFirstAndTheSuccessorStandAtTheEnd() {
        long token = this.scripts.acquire("me");
        this.scripts.join("first", "one", 10_000);
        this.scripts.join("second", "one");

        assertThat(this.scripts.releaseTo("next", "me", "mine")).isEqualTo(-this.scripts.token());

        assertThat(this.scripts.owner()).isEqualTo("first");
        assertThat(this.scripts.token()).isGreaterThan(token);
        this.scripts.assertThatLeaseIs(10_000);
        assertThat(this.scripts.line()).isEqualTo(";second:one:20000;next:mine:20000");
        assertThat(this.inboxes.notified()).containsExactly("one");
    }

    @Test
    void shouldPublishIdAndTokenToAnInboxWithTheMark() {
        this.scripts.acquire("me");
        this.scripts.join("first", "one+");

        this.scripts.releaseTo("next", "me", "mine+");

        assertThat(this.inboxes.messages()).containsExactly("one+ <- " + KEY + "first:" + this.scripts.token());
    }

    @Test
    void shouldGrantToTheNextIfAnInboxHasNoReader() {
        this.scripts.acquire("me");
        this.scripts.join("first", "gone+");
        this.scripts.join("second", "one+");

        assertThat(this.scripts.releaseTo("next", "me", "mine+")).isEqualTo(-this.scripts.token());

        assertThat(this.scripts.owner()).isEqualTo("second");
        assertThat(this.scripts.waiting()).containsExactly("next");
        assertThat(this.inboxes.messages()).containsExactly("one+ <- " + KEY + "second:" + this.scripts.token());
    }

    @Test
    void shouldStandInLineAloneBehindTheOnlyOneWhoWaited() {
        this.scripts.acquire("me");
        this.scripts.join("first", "one");

        assertThat(this.scripts.releaseTo("next", "me", "")).isEqualTo(-this.scripts.token());

        assertThat(this.scripts.owner()).isEqualTo("first");
        assertThat(this.scripts.line()).isEqualTo(";next::20000");
    }

    @Test
    void shouldKeepTheLockIfAllWhoWaitedAreGone() {
        this.scripts.acquire("me");
        this.scripts.join("dead", "gone");
        this.scripts.join("dead too", "gone too");

        long kept = this.scripts.releaseTo("next", "me", "mine");

        assertThat(kept).isEqualTo(this.scripts.token()).isGreaterThan(3);
        assertThat(this.scripts.owner()).isEqualTo("next");
        assertThat(this.scripts.line()).isEmpty();
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
        assertThat(this.inboxes.messages()).isEmpty();
    }

    @Test
    void shouldNotKeepTheLockWhereItCannotKnowWhoIsGone() {
        this.scripts.acquire("me");
        this.scripts.join("elsewhere", "read on another node");

        assertThat(this.scripts.releaseTo("next", "me", "mine", 0, Receivers.DO_NOT_COUNT))
                .isEqualTo(-this.scripts.token());

        assertThat(this.scripts.owner()).isEqualTo("elsewhere");
        assertThat(this.scripts.waiting()).containsExactly("next");
    }

    @Test
    void shouldGiveTheSameTokenAndTheFullLeaseIfItIsRepeated() {
        this.scripts.acquire("me");
        long kept = this.scripts.releaseTo("next", "me", "mine");
        this.redis.command("PEXPIRE", KEY, "9000");

        assertThat(this.scripts.releaseTo("next", "me", "mine")).isEqualTo(kept);

        assertThat(this.scripts.owner()).isEqualTo("next");
        assertThat(this.scripts.token()).isEqualTo(kept);
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldNotShortenIfItIsRepeated() {
        this.scripts.acquire("me");
        long kept = this.scripts.releaseTo("next", "me", "mine");
        this.redis.command("PEXPIRE", KEY, "600000");

        assertThat(this.scripts.releaseTo("next", "me", "mine")).isEqualTo(kept);

        this.scripts.assertThatLeaseIs(600_000);
    }

    @Test
    void shouldKeepItsPlaceIfItIsRepeated() {
        this.scripts.acquire("me");
        this.scripts.join("first", "one");
        this.scripts.releaseTo("next", "me", "mine");
        this.scripts.join("third", "one");
        long token = this.scripts.token();
        this.inboxes.messages();

        assertThat(this.scripts.releaseTo("next", "me", "mine")).isEqualTo(-this.scripts.token());

        assertThat(this.scripts.owner()).isEqualTo("first");
        assertThat(this.scripts.token()).isEqualTo(token);
        assertThat(this.scripts.waiting()).containsExactly("next", "third");
        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
        assertThat(this.inboxes.messages()).isEmpty();
    }

    /** The first execution put it into the line, and the head has released before the second. */
    @Test
    void shouldHaveTheFullLeaseIfItIsRepeatedAfterItsTurnHasCome() {
        this.scripts.acquire("me");
        this.scripts.join("first", "one");
        this.scripts.releaseTo("next", "me", "mine");
        this.scripts.release("first");
        long token = this.scripts.token();
        this.scripts.assertThatLeaseIs(LockScripts.CLAIM);

        assertThat(this.scripts.releaseTo("next", "me", "mine")).isEqualTo(token);

        assertThat(this.scripts.owner()).isEqualTo("next");
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
    }

    @Test
    void shouldChangeNothingIfItIsRepeatedWhenAllIsOver() {
        this.scripts.acquire("me");
        this.scripts.releaseTo("next", "me", "mine");
        this.scripts.release("next");
        assertThat(this.scripts.releaseTo("next", "me", "mine")).isEqualTo(0);
        this.scripts.assertThatNobodyOwnsIt();

        long token = this.scripts.acquire("other");

        assertThat(this.scripts.releaseTo("next", "me", "mine")).isEqualTo(-1);
        assertThat(this.scripts.owner()).isEqualTo("other");
        assertThat(this.scripts.token()).isEqualTo(token);
        assertThat(this.scripts.line()).as("not into the line for nobody").isEmpty();
    }

    @Test
    void shouldBringNobodyInIfItOwnedNothing() {
        assertThat(this.scripts.releaseTo("next", "me", "mine")).isEqualTo(0);
        this.scripts.assertThatNobodyOwnsIt();

        this.scripts.acquire("other");
        assertThat(this.scripts.releaseTo("next", "me", "mine")).isEqualTo(-1);
        assertThat(this.scripts.owner()).isEqualTo("other");
        assertThat(this.scripts.line()).isEmpty();
    }
}
