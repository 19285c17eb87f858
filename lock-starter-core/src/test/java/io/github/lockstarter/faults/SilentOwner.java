package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * The owner of a lock whose release grants it to the first in the line without a message that any inbox receives: the test
 * publishes it, at the time and as often as it wants.
 */
final class SilentOwner {

    static final String NAME = "believed";

    static final String KEY = "lock:{" + NAME + "}";

    /** Long enough for nothing to be renewed or to expire by itself. */
    static final Duration LEASE = Duration.ofSeconds(60);

    private static final String ID = "silent-owner";

    /** A message about a grant, and the inbox that it belongs to. */
    record Message(String inbox, String acquisitionId, long fencingToken) {

        /** The same with a token that is larger by that. */
        Message plus(long difference) {
            return new Message(this.inbox, this.acquisitionId, this.fencingToken + difference);
        }

        String text() {
            return KEY + this.acquisitionId + ':' + this.fencingToken;
        }
    }

    private final RedisCli redis;

    /** The registries that have waited before. */
    private final Set<LockRegistry> subscribed = new HashSet<>();

    SilentOwner(RedisCli redis) {
        this.redis = redis;
        Script.loadAll(redis);
        acquire();
    }

    void acquire() {
        Script.acquire(this.redis, KEY, ID, LEASE);
        assertThat(this.redis.hgetall(KEY)).containsEntry("o", ID);
    }

    /** An instance whose waiters poll at that interval, so that a grant from the line lasts twice as long. */
    static Setup polling(Setup setup, Duration interval) {
        return setup.lease(LEASE).pollInterval(interval).commandTimeout(Duration.ofSeconds(5));
    }

    /** Waits until the first of the line belongs to that instance, which has seen the owner and its own position. */
    void awaitProof(Instance waiting, FaultProxy proxy) {
        awaitProof(waiting.registry(), proxy);
    }

    /** As {@link #awaitProof(Instance, FaultProxy)}, for the waiter of that registry. */
    void awaitProof(LockRegistry waiting, FaultProxy proxy) {
        // The first waiter of an instance asks once more when the subscription has begun.
        int attempts = this.subscribed.add(waiting) ? 2 : 1;
        soon().until(() ->
                WaitingLine.of(this.redis, KEY).size() == 1 && proxy.commandsSeen(Script.ACQUIRE.of(KEY)) >= attempts);
        // The reply to a later command on the same connection: those before have been noted.
        assertThat(waiting.getLock("barrier").isLocked()).isFalse();
    }

    /** The message that would be about a grant to the first of the line, with the token of the present owner. */
    Message present() {
        String[] entry = WaitingLine.of(this.redis, KEY).get(0).split(":", -1);
        return new Message(entry[1], entry[0], token());
    }

    /** Releases, and returns the message about the grant to the first of the line. */
    Message release() {
        Message before = present();
        // A user without the permission to publish sends no message.
        this.redis.command("ACL", "SETUSER", "silent", "on", "nopass", "~*", "&*", "+@all", "-publish");
        this.redis.command("AUTH", "silent", "any");
        try {
            Script.RELEASE.call(this.redis, KEY, ID, "0", "0");
        } finally {
            this.redis.command("AUTH", "default", "any");
            this.redis.command("ACL", "DELUSER", "silent");
        }
        assertThat(this.redis.hgetall(KEY)).containsEntry("o", before.acquisitionId());
        return new Message(before.inbox(), before.acquisitionId(), token());
    }

    long token() {
        return Long.parseLong(this.redis.hgetall(KEY).get("f"));
    }

    void publish(Message message) {
        publish(message.inbox(), message.text());
    }

    private void publish(String inbox, String text) {
        assertThat(this.redis.command("PUBLISH", Channel.INBOXES + inbox, text)).isEqualTo(1L);
    }
}
