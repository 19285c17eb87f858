package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A believed grant is handed on in memory before the reply to its first renewal, which then belongs to the present owner. */
@RedisTest
class UnconfirmedHandOffTest {

    private static final String KEY = SilentOwner.KEY;

    private static final Duration POLL = Duration.ofSeconds(8);

    private static final Duration CLAIM = POLL.multipliedBy(2);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final SilentOwner owner;

    private final Instance instance;

    private final List<CompletableFuture<Lease>> waiting = new ArrayList<>();

    UnconfirmedHandOffTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.owner = new SilentOwner(redis);
        this.instance = this.instances.at(
                proxy, setup -> SilentOwner.polling(setup, POLL).handOffs(64));
        for (int i = 0; i < 4; i++) {
            this.waiting.add(this.instance
                    .registry()
                    .acquireAsync(LockRequest.of(SilentOwner.NAME).withWaitTime(LIMIT))
                    .toCompletableFuture());
        }
        this.owner.awaitProof(this.instance, proxy);
        proxy.forgetCommands();
    }

    private Lease lease(int position) throws Exception {
        return this.waiting.get(position).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    /** Passes the lock on from waiter to waiter, and returns the lease of the last one. */
    private Lease passTo(int position) throws Exception {
        for (int i = 0; i < position; i++) {
            assertThat(lease(i).release()).isTrue();
        }
        return lease(position);
    }

    @Test
    void shouldExtendThePresentOwner() throws Exception {
        Lease present;
        long token;
        try (Hold reply = this.proxy.holdReply(Script.RENEW.of(KEY))) {
            SilentOwner.Message message = this.owner.release();
            token = message.fencingToken();
            this.owner.publish(message);
            lease(0);
            reply.awaitReached(LIMIT);
            present = passTo(2);
            assertThat(present.fencingToken()).isEqualTo(token + 2);
            assertThat(present.remaining()).isBetween(Duration.ofMillis(1), CLAIM);
            assertThat(this.redis.pttl(KEY)).as("executed already").isGreaterThan(CLAIM.toMillis());
        }

        soon().until(() -> present.remaining().compareTo(CLAIM) > 0);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) == 1);
        assertThat(this.instance.events().all(LockRenewedEvent.class))
                .extracting(LockRenewedEvent::fencingToken)
                .containsExactly(token + 2);
        assertThat(this.instance.events().handOvers(Kind.LOCAL)).isEqualTo(2);
        assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY))).isEqualTo(1);
        assertThat(this.proxy.commandsSeen(Script.ACQUIRE.of(KEY))).isZero();
        assertThat(present.release()).isTrue();
        assertThat(lease(3).release()).isTrue();
        soon().until(() -> !this.redis.exists(KEY));
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
    }

    @Test
    void shouldBeLostByThePresentOwner() throws Exception {
        Lease present;
        try (Hold renewal = this.proxy.hold(Script.RENEW.of(KEY))) {
            this.owner.publish(this.owner.release());
            lease(0);
            renewal.awaitReached(LIMIT);
            present = passTo(2);
            this.redis.command("DEL", KEY);
            Script.acquire(this.redis, KEY, "another", SilentOwner.LEASE);
            assertThat(present.isHeld()).isTrue();
        }

        assertThat(get(present.lost())).isEqualTo(LossReason.TAKEN_OVER);
        soon().until(() -> this.instance.events().count(LockLostEvent.class) == 1);
        assertThat(this.instance.events().all(LockLostEvent.class))
                .extracting(LockLostEvent::fencingToken)
                .containsExactly(present.fencingToken());
        assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY)))
                .as("by the reply to the renewal of the first owner")
                .isEqualTo(1);
        assertThat(present.release()).isFalse();
        assertThat(this.redis.hgetall(KEY)).containsEntry("o", "another");
        WaitingLine.awaitLength(this.redis, KEY, 1);
        assertThat(this.waiting.get(3)).isNotDone();
    }

    /** The token of the next owner through Redis is larger than those that were given in memory. */
    @Test
    void shouldKeepTokensInOrder() throws Exception {
        Lease last;
        try (Hold renewal = this.proxy.hold(Script.RENEW.of(KEY))) {
            this.owner.publish(this.owner.release());
            lease(0);
            renewal.awaitReached(LIMIT);
            last = passTo(3);
        }
        assertThat(last.release()).isTrue();

        this.owner.acquire();

        assertThat(this.owner.token()).isGreaterThan(last.fencingToken());
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
    }

    /** A lost renewal is repeated, for the present owner. */
    @Test
    void shouldRepeatALostRenewalForThePresentOwner() throws Exception {
        this.proxy.swallowRequestOf(Script.RENEW.of(KEY), () -> {});
        this.owner.publish(this.owner.release());
        lease(0);
        soon().until(() -> this.proxy.commandsSeen(Script.RENEW.of(KEY)) > 0);
        Lease present = passTo(2);

        soon().until(() -> present.remaining().compareTo(CLAIM) > 0);

        // the lease is extended first
        soon().until(() -> present.state() == Lease.State.HELD);
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
        assertThat(this.redis.pttl(KEY)).isGreaterThan(CLAIM.toMillis());
    }
}
