package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A believed grant that is released before the reply to its first renewal leaves nothing, and disturbs no other owner. */
@RedisTest
class ReleaseBeforeConfirmationTest {

    private static final String KEY = SilentOwner.KEY;

    private static final Duration POLL = Duration.ofSeconds(10);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final SilentOwner owner;

    private final Instance instance;

    private final Instance other;

    ReleaseBeforeConfirmationTest(FaultProxy proxy, RedisServer server, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.owner = new SilentOwner(redis);
        this.instance = this.instances.at(proxy, setup -> SilentOwner.polling(setup, POLL));
        this.other = this.instances.at(server, setup -> SilentOwner.polling(setup, POLL));
    }

    private Lease believed() throws Exception {
        CompletableFuture<Lease> waiting = this.instance.waitFor(SilentOwner.NAME);
        this.owner.awaitProof(this.instance, this.proxy);
        this.proxy.forgetCommands();
        this.owner.publish(this.owner.release());
        return waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void shouldLeaveTheLockToTheNextOwner() throws Exception {
        CompletableFuture<Boolean> released;
        Lease next;
        Map<String, String> nextOwner;
        try (Hold reply = this.proxy.holdReply(Script.RENEW.of(KEY))) {
            Lease lease = believed();
            reply.awaitReached(LIMIT);
            released = lease.releaseAsync().toCompletableFuture();
            next = this.other.acquire(SilentOwner.NAME);
            nextOwner = this.redis.hgetall(KEY);
            assertThat(released).as("its reply is held back as well").isNotDone();
            assertThat(this.redis.command("PEXPIRE", KEY, "30000")).isEqualTo(1L);
        }

        assertThat(get(released)).isTrue();
        soon().until(() -> this.instance.active() == 0);
        assertThat(this.redis.hgetall(KEY)).isEqualTo(nextOwner);
        assertThat(this.redis.pttl(KEY)).as("not renewed").isLessThanOrEqualTo(30_000);
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
        assertThat(this.instance.events().count(LockRenewedEvent.class)).isZero();
        assertThat(next.release()).isTrue();
        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY))).isEqualTo(1);
    }

    /** On its way on another connection, as after a reconnection, it arrives after the release. */
    @Test
    void shouldNotBeRevivedByARenewalThatArrivesLater() throws Exception {
        Lease lease = believed();
        String id = this.redis.hgetall(KEY).get("o");
        assertThat(lease.release()).isTrue();

        assertThat(Script.RENEW.call(this.redis, KEY, "60000", id)).isEqualTo(List.of(1L, 0L));
        assertThat(this.redis.exists(KEY)).isFalse();

        Lease next = this.other.acquire(SilentOwner.NAME);
        assertThat(this.redis.command("PEXPIRE", KEY, "30000")).isEqualTo(1L);
        assertThat(Script.RENEW.call(this.redis, KEY, "60000", id)).isEqualTo(List.of(1L, -1L));
        assertThat(this.redis.pttl(KEY)).isLessThanOrEqualTo(30_000);
        assertThat(next.release()).isTrue();
    }

    /** The renewal and the release behind it are lost with the connection: the release is repeated. */
    @Test
    void shouldLeaveNothingIfTheConnectionBreaks() throws Exception {
        this.proxy.swallowRequestOf(Script.RENEW.of(KEY), () -> {});
        Lease lease = believed();
        soon().until(() -> this.proxy.commandsSeen(Script.RENEW.of(KEY)) > 0);
        CompletableFuture<Boolean> released = lease.releaseAsync().toCompletableFuture();
        soon().until(() -> this.proxy.commandsSeen(Script.RELEASE.of(KEY)) > 0);
        this.proxy.cutRst();

        assertThat(get(released)).isTrue();
        soon().until(() -> !this.redis.exists(KEY));
        assertThat(this.redis.pttl(KEY)).isEqualTo(-2);
        assertThat(this.other.acquire(SilentOwner.NAME).release()).isTrue();
        assertThat(this.instance.active()).isZero();
    }
}
