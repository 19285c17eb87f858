package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A grant that is taken back because its instance has no subscription. Redis passes published messages on to replicas, whose
 * subscribers it does not count, so that a message about such a grant could still arrive and be believed.
 */
@RedisTest
class TakenBackGrantScriptTest {

    private final RedisCli redis;

    private final LockScripts scripts;

    private final InboxReader inboxes;

    TakenBackGrantScriptTest(RedisCli redis, RedisCli listener) {
        this.redis = redis;
        this.scripts = new LockScripts(redis);
        this.inboxes = new InboxReader(listener, redis, "one+");
    }

    @ParameterizedTest
    @CsvSource({"me, gone, alive", "me.r, gone, alive", "me, gone.r, alive.r", "me.s1.1, gone.s1.1, alive.s1.1"})
    void shouldNotBePublished(String owner, String gone, String alive) {
        this.scripts.acquire(owner);
        this.scripts.join(gone, "gone+");
        this.scripts.join(alive, "one+");
        this.redis.command("CONFIG", "RESETSTAT");

        assertThat(this.scripts.release(owner)).isEqualTo(1);

        assertThat(this.redis.infoCommandStats()).containsEntry("publish", 1L);
        assertThat(this.inboxes.messages()).singleElement().asString().startsWith("one+ <- " + LockScripts.KEY + alive);
    }

    /** It is not known then whether the instance is gone: the grant lasts until it was to be claimed. */
    @ParameterizedTest
    @CsvSource({"me, gone, alive", "me.r, gone, alive"})
    void shouldStayForAUserWhoMayNotCountSubscribers(String owner, String gone, String alive) {
        this.scripts.acquire(owner);
        this.scripts.join(gone, "gone+");
        this.scripts.join(alive, "one+");
        this.redis.command("ACL", "SETUSER", "quiet", "reset", "on", ">any", "~*", "&*", "+@all", "-pubsub");
        try {
            this.redis.command("AUTH", "quiet", "any");

            assertThat(this.scripts.release(owner)).isEqualTo(1);

            assertThat(this.inboxes.messages()).isEmpty();
            assertThat(this.scripts.owner()).isEqualTo(gone);
            this.scripts.assertThatLeaseIs(LockScripts.CLAIM);
        } finally {
            this.redis.command("ACL", "DELUSER", "quiet");
        }
    }
}
