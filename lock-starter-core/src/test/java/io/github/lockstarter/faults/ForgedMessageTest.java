package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockReleaseRequestedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.WaitingLine;
import io.github.lockstarter.testsupport.LogCapture;
import io.github.lockstarter.testsupport.RedisCli;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a user can do who may publish to the channels of the locks, and access no key. */
class ForgedMessageTest extends FaultFixture {

    private static final String USER = "publisher";

    private RedisCli publisher;

    private Instance victim;

    private Instance other;

    /** A lease that is unreachable is reported in the log. */
    private Lease taken;

    private String inbox;

    private CompletableFuture<Lease> waiting;

    @BeforeEach
    void subscribe() throws Exception {
        this.redis.command(("ACL SETUSER " + USER
                        + " reset on nopass resetkeys resetchannels &lock:inbox:* -@all +publish" + " +pubsub|channels")
                .split(" "));
        this.publisher = RedisCli.connect(this.server.port());
        this.publisher.command("AUTH", USER, "any");
        assertThatThrownBy(() -> this.publisher.command("HGETALL", "lock:{a}")).hasMessageContaining("NOPERM");

        this.victim = this.instances.at(this.server, ForgedMessageTest::quiet);
        this.other = this.instances.at(this.server, ForgedMessageTest::quiet);
        this.taken = this.other.acquire("taken");
        this.waiting = this.victim.waitFor("taken");
        WaitingLine.awaitSubscribed(this.redis, "lock:{taken}", 1);
        this.inbox = Channel.of(WaitingLine.of(this.redis, "lock:{taken}").get(0));
        assertThat(this.taken.state()).isEqualTo(Lease.State.HELD);
    }

    /** Nothing but messages changes anything. */
    private static Setup quiet(Setup setup) {
        return setup.lease(LONG).withoutPolling();
    }

    @AfterEach
    void deleteUser() {
        this.publisher.close();
        this.redis.command("ACL", "DELUSER", USER);
    }

    private void publish(String... messages) {
        for (String message : messages) {
            assertThat(this.publisher.command("PUBLISH", this.inbox, message)).isEqualTo(1L);
        }
    }

    private void awaitRejected(long number) {
        soon().untilAsserted(() ->
                assertThat(this.victim.registry().rejectedMessages()).isEqualTo(number));
    }

    @Test
    void shouldNotEndGrantsInSharedUse() throws Exception {
        LockRequest reading = LockRequest.of("prices").withMode(LockMode.READ);
        LockRequest permit = LockRequest.of("exports").withPermits(1, 2);
        Lease reader = this.victim.registry().acquire(reading);
        Lease holder = this.victim.registry().acquire(permit);
        Map<String, String> prices = this.redis.hgetall("lock:{prices}");
        Map<String, String> exports = this.redis.hgetall("lock:{exports}");

        publish("lock:{prices}~r:1", "lock:{prices}~s:1", "lock:{exports}~s:1", "lock:{exports}~r:1");
        awaitRejected(4);

        assertThat(this.redis.hgetall("lock:{prices}")).isEqualTo(prices);
        assertThat(this.redis.hgetall("lock:{exports}")).isEqualTo(exports);
        assertThat(reader.release()).isTrue();
        assertThat(holder.release()).isTrue();
    }

    /** Ids are seen by those who may read keys. */
    @Test
    void shouldNotEndAGrantOfAnotherInstance() throws Exception {
        String owner = ownerOf("lock:{taken}");

        publish(
                "lock:{taken}" + owner + ":7",
                "lock:{taken}~k" + owner + ":7",
                "lock:{taken}" + owner + ".r:7",
                "lock:{taken}" + owner + ":9007199254740991");
        awaitRejected(4);

        assertThat(this.redis.hgetall("lock:{taken}")).containsEntry("o", owner);
        assertThat(this.waiting).isNotDone();
    }

    /** The channel shows how the ids of the instance begin. */
    @Test
    void shouldNotEndAGrantByAnIdThatWasMadeUp() throws Exception {
        Lease lease = this.victim.acquire("held");
        String instance = this.inbox.substring("lock:inbox:".length());

        publish("lock:{held}" + instance + "-0123456789:7", "lock:{taken}" + instance + "-0123456789:9007199254740991");
        soon().until(() -> this.victim.active() == 1 && this.victim.waiting() == 1);

        assertThat(lease.release()).isTrue();
        assertThat(this.waiting).isNotDone();
    }

    /** The owner decides what it does at a request, which everybody can send who may publish. */
    @Test
    void shouldAskForAReleaseAndEndNothing() throws Exception {
        Lease lease = this.victim.acquire("held");
        String id = ownerOf("lock:{held}");
        Map<String, String> stored = this.redis.hgetall("lock:{held}");

        publish("lock:{held}requested:" + id.replace('-', '+'), "lock:{taken}requested:" + id, "lock:{held}requested:");
        awaitRejected(2);
        assertThat(lease.isReleaseRequested())
                .as("asked by a message about something else")
                .isFalse();
        publish("lock:{held}requested:" + id, "lock:{held}requested:" + id);
        soon().until(lease::isReleaseRequested);
        soon().until(() -> {
            // Messages that have no effect are limited as well.
            for (int i = 0; i < 2_000; i++) {
                publish("lock:{held}requested:" + id);
            }
            return this.victim.registry().rejectedMessages() > 2;
        });

        assertThat(this.victim.events().all(LockReleaseRequestedEvent.class))
                .as("events of one lease")
                .hasSize(1);
        assertThat(this.redis.hgetall("lock:{held}")).isEqualTo(stored);
        assertThat(lease.release()).as("the lease was held until its release").isTrue();
        assertThat(lease.isReleaseRequested()).as("requested after its end").isFalse();
    }

    /** Ids are seen by those who may read keys. */
    @Test
    void shouldNotRevokeAGrant() throws Exception {
        Lease lease = this.victim.acquire("held");
        String id = ownerOf("lock:{held}");
        String other = ownerOf("lock:{taken}");

        publish("lock:{taken}revoked:" + other, "lock:{held}revoked:~k" + id, "lock:{held}revoked:");
        awaitRejected(3);
        publish("lock:{held}revoked:" + id);
        soon().until(() -> this.victim.registry().held("held").orElseThrow().renewals() == 1);
        soon().until(() -> {
            // Each message costs a renewal, up to a limit.
            for (int i = 0; i < 2_000; i++) {
                publish("lock:{held}revoked:" + id);
            }
            return this.victim.registry().rejectedMessages() > 3;
        });

        assertThat(this.redis.hgetall("lock:{taken}")).containsEntry("o", other);
        assertThat(lease.release()).isTrue();
        assertThat(this.waiting).isNotDone();
    }

    /** Each would be a line of the client's log if an exception left the listener. */
    @Test
    void shouldNotFillTheLog() throws Exception {
        String instance = this.inbox.substring("lock:inbox:".length());
        this.redis.command("CONFIG", "RESETSTAT");
        try (LogCapture ours = new LogCapture();
                LogCapture clients = new LogCapture("io.lettuce");
                LogCapture springs = new LogCapture("org.springframework")) {
            for (int i = 0; i < 1000; i++) {
                publish(
                        "lock:{x}a.s\nERROR Accounts - forged\u001b[31m.1:7",
                        "lock:{x}" + instance + "-0123456789.s99999999999.1:7",
                        "lock:{x}" + instance + "-0123456789.s1.-1:7",
                        "lock:{x}" + instance + "-0123456789\n.r:7",
                        "lock:{x}" + instance + "-0123456789:99999999999999999999",
                        "lock:{%u-123}" + instance + "-0123456789:7");
            }
            publish("lock:{" + "x".repeat(1_000_000) + "}a:7");
            awaitRejected(6001);
            soon().until(() -> !ours.all().isEmpty());

            assertThat(ours.all())
                    .singleElement()
                    .asString()
                    .contains("rejected")
                    .doesNotContain("forged");
            assertThat(clients.all()).isEmpty();
            assertThat(springs.all()).isEmpty();
        }
        assertThat(this.redis.infoCommandStats())
                .as("commands of scripts for locks; a probe of the inbox publishes only")
                .doesNotContainKeys("hmget", "hset", "hdel", "del", "pttl");
        assertThat(this.waiting).isNotDone();
    }

    /** Above all that, messages of the store arrive. */
    @Test
    void shouldStillBeGrantedByAMessage() throws Exception {
        publish("}", "lock:{taken}", "");
        awaitRejected(3);

        String owner = ownerOf("lock:{taken}");
        assertThat(this.other.lock("taken").forceUnlock()).isTrue();

        assertThat(get(this.waiting).state()).isEqualTo(Lease.State.HELD);
        assertThat(ownerOf("lock:{taken}")).isNotEqualTo(owner);
    }
}
