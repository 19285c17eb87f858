package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.store.redis.script.LockScripts.Receivers;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Messages about the grants of a loop: one for each inbox, after all writes, and none for a grant that was not made. */
@RedisTest
class SharedMessagesScriptTest {

    private static final String KEY = LockScripts.KEY;

    private static final long FAR = 9_999_999_999_999L;

    private final LockScripts scripts;

    private final InboxReader inboxes;

    SharedMessagesScriptTest(RedisCli redis, RedisCli listener) {
        this.scripts = new LockScripts(redis);
        this.inboxes = new InboxReader(listener, redis, "one+", "two+", "old");
    }

    private String messageTo(String inbox, String id) {
        return inbox + " <- " + KEY + id + ':' + this.scripts.ofHolder(id, 2);
    }

    @Test
    void shouldPublishOneMessageToEachInbox() {
        this.scripts.acquire("w");
        this.scripts.join("a.r", "one+");
        this.scripts.join("b.r", "two+");
        this.scripts.join("c.r", "old");
        this.scripts.join("d.r", "one+");
        this.scripts.join("e.r", "");

        this.scripts.release("w");

        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("a.r", "b.r", "c.r", "d.r", "e.r");
        assertThat(this.inboxes.messages())
                .containsExactly("one+ <- " + KEY, messageTo("two+", "b.r"), messageTo("old", "c.r"));
    }

    @Test
    void shouldPublishTheGrantOfAWriter() {
        this.scripts.acquire("a.r");
        this.scripts.join("w", "one+");

        this.scripts.release("a.r");

        assertThat(this.inboxes.messages()).containsExactly("one+ <- " + KEY + "w:" + this.scripts.token());
    }

    @Test
    void shouldPublishWhatAnAcquireGrantsToOthers() {
        this.scripts.shared(Map.of("dead.r", 1_000L));
        this.scripts.line("one+", Map.of("a.r", FAR));

        assertThat(this.scripts.join("me.r", "two+")).isPositive();

        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("a.r", "me.r");
        assertThat(this.inboxes.messages()).containsExactly(messageTo("one+", "a.r"));
    }

    @Test
    void shouldPublishInADowngradeAndWhenTheHeadLeaves() {
        this.scripts.acquire("w");
        this.scripts.join("a.r", "one+");
        this.scripts.join("w2", "two+");
        this.scripts.join("b.r", "one+");

        this.scripts.downgrade("w");
        assertThat(this.inboxes.messages()).containsExactly(messageTo("one+", "a.r"));
        assertThat(this.scripts.downgrade("w")).as("repeated").isPositive();
        assertThat(this.inboxes.messages()).isEmpty();
        this.scripts.release("w2");

        assertThat(this.inboxes.messages()).containsExactly(messageTo("one+", "b.r"));
    }

    @Test
    void shouldGrantToTheNextIfInboxesHaveNoReader() {
        this.scripts.acquire("a.r");
        this.scripts.join("w", "gone+");
        this.scripts.join("b.r", "one+");
        this.scripts.join("c.r", "gone too+");
        this.scripts.join("w2", "gone+");

        this.scripts.release("a.r");

        assertThat(this.scripts.holders()).containsExactly("b.r");
        assertThat(this.scripts.waiting()).containsExactly("w2");
        assertThat(this.inboxes.messages()).containsExactly(messageTo("one+", "b.r"));
        this.scripts.release("b.r");
        this.scripts.assertThatNobodyOwnsIt();
    }

    @Test
    void shouldReturnThePermitsOfInstancesThatAreGone() {
        this.scripts.acquire("a.s2.2");
        this.scripts.join("b.s2.2", "gone+");
        this.scripts.join("c.s1.2", "one+");
        this.scripts.join("d.s1.2", "");

        this.scripts.release("a.s2.2");

        assertThat(this.scripts.holders()).containsExactlyInAnyOrder("c.s1.2", "d.s1.2");
        assertThat(this.inboxes.messages()).containsExactly(messageTo("one+", "c.s1.2"));
    }

    @Test
    void shouldGrantToTheSuccessorIfAllWhoWaitAreGone() {
        this.scripts.acquire("a.r");
        this.scripts.join("w", "gone+");

        long token = this.scripts.releaseTo("b.r", "a.r", "one+");

        assertThat(this.scripts.holders()).containsExactly("b.r");
        assertThat(this.scripts.ofHolder("b.r", 2)).isEqualTo(token);
        this.scripts.assertThatLeaseIs(LockScripts.LEASE);
        assertThat(this.inboxes.messages()).isEmpty();
    }

    @Test
    void shouldKeepTheGrantWhereReceiversAreNotCounted() {
        this.scripts.acquire("a.r");
        this.scripts.join("w", "read on another node+");

        this.scripts.release("a.r", 0, Receivers.DO_NOT_COUNT);

        assertThat(this.scripts.owner()).isEqualTo("w");
    }

    /** A server of its own, because it becomes a replica. */
    @Nested
    @Tag("redis")
    class OfAReplica {

        @AutoClose
        private final RedisServer server = RedisServer.start();

        @AutoClose
        private final RedisCli redis = this.server.cli();

        private final LockScripts scripts = new LockScripts(this.redis);

        @Test
        void shouldNotPublish() {
            this.scripts.acquire("w");
            this.scripts.join("a.r", "one+");
            this.scripts.join("b.r", "two+");
            shouldBeRefused(() -> this.scripts.release("w"));
            shouldBeRefused(() -> this.scripts.releaseTo("next", "w", "one+"));
            shouldBeRefused(() -> this.scripts.downgrade("w"));
            this.redis.command("DEL", KEY);

            this.scripts.shared(Map.of("dead.r", 1_000L, "c.r", FAR));
            this.scripts.line("one+", Map.of("w2", FAR));
            shouldBeRefused(() -> this.scripts.release("w2"));
            shouldBeRefused(() -> this.scripts.join("d.r", "one+"));
            shouldBeRefused(() -> this.scripts.keep("c.r", 5_000));
            this.redis.command("HDEL", KEY, "h:c.r");
            shouldBeRefused(() -> this.scripts.join("d.r", "one+"));
        }

        private void shouldBeRefused(Runnable command) {
            Map<String, String> before = this.redis.hgetall(KEY);
            this.redis.command("CONFIG", "RESETSTAT");
            this.redis.command("REPLICAOF", "127.0.0.1", "1");
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(command::run)
                    .withMessageContaining("READONLY");
            this.redis.command("REPLICAOF", "NO", "ONE");
            assertThat(this.redis.infoCommandStats()).doesNotContainKey("publish");
            assertThat(this.redis.hgetall(KEY)).isEqualTo(before);
        }
    }
}
