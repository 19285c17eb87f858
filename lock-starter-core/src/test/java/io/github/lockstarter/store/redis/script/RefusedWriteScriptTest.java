package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisErrorException;
import io.github.lockstarter.testsupport.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers that refuse writes, but not PUBLISH: no message reports a grant that was not written. */
@Tag("redis")
class RefusedWriteScriptTest {

    private static final String INBOX = "one+";

    @AutoClose
    private final RedisServer server = RedisServer.start();

    @AutoClose
    private final RedisCli redis = this.server.cli();

    @AutoClose
    private final RedisCli listener = this.server.cli();

    private final LockScripts scripts = new LockScripts(this.redis);

    private final InboxReader inboxes = new InboxReader(this.listener, this.redis, INBOX);

    RefusedWriteScriptTest() {
        this.scripts.acquire("me");
        this.scripts.join("head", INBOX);
        this.scripts.join("tail", INBOX);
        this.redis.command("CONFIG", "RESETSTAT");
    }

    private void shouldHaveChangedNothing() {
        assertThat(this.redis.infoCommandStats()).doesNotContainKey("publish");
        assertThat(this.inboxes.messages()).isEmpty();
        assertThat(this.scripts.owner()).isEqualTo("me");
        assertThat(this.scripts.waiting()).containsExactly("head", "tail");
    }

    private void shouldBeReleasedNow() {
        assertThat(this.scripts.release("me")).isEqualTo(1);
        assertThat(this.scripts.owner()).isEqualTo("head");
        assertThat(this.inboxes.messages())
                .containsExactly(INBOX + " <- " + LockScripts.KEY + "head:" + this.scripts.token());
    }

    @Test
    void shouldNotPublishOnAMasterThatHasBecomeAReplica() {
        this.redis.command("REPLICAOF", "127.0.0.1", "1");

        for (String next : List.of("", "next")) {
            assertThatExceptionOfType(RedisErrorException.class)
                    .isThrownBy(() -> release(next))
                    .withMessageContaining("READONLY");
            shouldHaveChangedNothing();
            this.redis.command("CONFIG", "RESETSTAT");
        }

        this.redis.command("REPLICAOF", "NO", "ONE");
        shouldBeReleasedNow();
    }

    /** Before Redis 7 that setting does not concern scripts: then the lock is granted, and the message true. */
    @Test
    void shouldNotPublishWithTooFewReplicas() {
        this.redis.command("CONFIG", "SET", "min-replicas-to-write", "1");

        try {
            release("");
            assertThat(this.scripts.owner()).isEqualTo("head");
            assertThat(this.inboxes.messages()).hasSize(1);
        } catch (RedisErrorException ex) {
            assertThat(ex).hasMessageContaining("NOREPLICAS");
            shouldHaveChangedNothing();
            this.redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
            shouldBeReleasedNow();
        }
    }

    private void release(String next) {
        long unused = next.isEmpty() ? this.scripts.release("me") : this.scripts.releaseTo(next, "me", INBOX);
    }
}
