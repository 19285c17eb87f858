package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A grant that was taken away before its message arrived is lost with the reply to its first renewal. That renewal is held
 * until the waiter has the grant: a refusal that arrives before the waiter has woken up makes it ask again instead.
 */
@RedisTest
class RefusedConfirmationTest {

    private static final String KEY = SilentOwner.KEY;

    private static final Duration POLL = Duration.ofSeconds(10);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisServer server;

    private final RedisCli redis;

    private final SilentOwner owner;

    private final Instance instance;

    RefusedConfirmationTest(FaultProxy proxy, RedisServer server, RedisCli redis) {
        this.proxy = proxy;
        this.server = server;
        this.redis = redis;
        this.owner = new SilentOwner(redis);
        this.instance = this.instances.at(proxy, setup -> SilentOwner.polling(setup, POLL));
    }

    private static LockRequest request() {
        return LockRequest.of(SilentOwner.NAME).withWaitTime(LIMIT);
    }

    private Hold holdRenewal() {
        return this.proxy.hold(Script.RENEW.of(KEY));
    }

    /** What happens between the grant and its message. */
    enum Meanwhile {
        DELETED {
            @Override
            void happen(RedisCli redis) {
                redis.command("DEL", KEY);
            }
        },
        TAKEN_OVER {
            @Override
            void happen(RedisCli redis) {
                redis.command("DEL", KEY);
                Script.acquire(redis, KEY, "another", SilentOwner.LEASE);
            }
        };

        abstract void happen(RedisCli redis);
    }

    @ParameterizedTest
    @EnumSource
    void shouldLoseTheLock(Meanwhile meanwhile) throws Exception {
        CompletableFuture<Lease> waiting = this.instance.waitFor(SilentOwner.NAME);
        this.owner.awaitProof(this.instance, this.proxy);
        SilentOwner.Message message = this.owner.release();
        meanwhile.happen(this.redis);
        Map<String, String> before = this.redis.hgetall(KEY);

        Lease lease;
        try (Hold renewal = holdRenewal()) {
            this.owner.publish(message);
            lease = waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            renewal.awaitReached(LIMIT);
        }

        LossReason reason = LossReason.valueOf(meanwhile.name());
        assertThat(get(lease.lost())).isEqualTo(reason);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(lease.remaining()).isZero();
        assertThat(lease.release()).isFalse();
        assertThat(this.redis.hgetall(KEY)).as("as it was").isEqualTo(before);
        soon().until(() -> this.instance.events().count(LockLostEvent.class) == 1);
        assertThat(this.instance.events().all(LockLostEvent.class))
                .extracting(LockLostEvent::reason, LockLostEvent::fencingToken)
                .containsExactly(tuple(reason, message.fencingToken()));
        assertThat(this.instance.active()).isZero();
    }

    @Test
    void shouldThrowAtTheEndOfTheBody() throws Exception {
        Hold renewal = holdRenewal();
        Call<Boolean> call = Call.start(() -> this.instance.registry().execute(request(), lease -> {
            renewal.release();
            soon().until(() -> !lease.isHeld());
            return true;
        }));
        publishAfterATakeOver();

        assertThat(call.failure())
                .asInstanceOf(type(LockLostException.class))
                .extracting(LockLostException::reason)
                .isEqualTo(LossReason.TAKEN_OVER);
    }

    @Test
    void shouldInterruptTheBody() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Hold renewal = holdRenewal();
        Call<Boolean> call =
                Call.start(() -> this.instance.registry().execute(request().withOnLost(OnLost.INTERRUPT), lease -> {
                    renewal.release();
                    return never.await(60, TimeUnit.SECONDS);
                }));
        publishAfterATakeOver();

        Throwable thrown = call.failure();
        assertThat(thrown).isInstanceOf(InterruptedException.class);
        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
    }

    private void publishAfterATakeOver() {
        this.owner.awaitProof(this.instance, this.proxy);
        SilentOwner.Message message = this.owner.release();
        Meanwhile.TAKEN_OVER.happen(this.redis);
        this.owner.publish(message);
    }

    /** The lock goes to the next in the line, which keeps it whatever the one before believes for a moment. */
    @Test
    void shouldLeaveAForcedLockToTheNextInTheLine() throws Exception {
        Instance next = this.instances.at(this.server, setup -> SilentOwner.polling(setup, POLL));
        CompletableFuture<Lease> first = this.instance.waitFor(SilentOwner.NAME);
        this.owner.awaitProof(this.instance, this.proxy);
        CompletableFuture<Lease> second = next.waitFor(SilentOwner.NAME);
        WaitingLine.awaitLength(this.redis, KEY, 2);
        SilentOwner.Message message = this.owner.release();
        assertThat(next.lock(SilentOwner.NAME).forceUnlock()).isTrue();
        Lease following = second.get(LIMIT.toSeconds(), TimeUnit.SECONDS);

        Lease forced;
        try (Hold renewal = holdRenewal()) {
            this.owner.publish(message);
            forced = first.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            renewal.awaitReached(LIMIT);
        }

        assertThat(get(forced.lost())).isEqualTo(LossReason.TAKEN_OVER);
        assertThat(forced.fencingToken()).isEqualTo(message.fencingToken()).isLessThan(following.fencingToken());
        assertThat(forced.release()).isFalse();
        assertThat(following.isHeld()).isTrue();
        assertThat(this.owner.token()).isEqualTo(following.fencingToken());
        assertThat(following.release()).isTrue();
        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(next.events().count(LockLostEvent.class)).isZero();
    }

    /** Without a wait that is over: the waiter that asks again meanwhile is not an owner because of the message. */
    @Test
    void shouldNotReviveAForcedGrantOnceTheNewOwnerHasBeenSeen() throws Exception {
        CompletableFuture<Lease> waiting =
                this.instance.registry().acquireAsync(request()).toCompletableFuture();
        this.owner.awaitProof(this.instance, this.proxy);
        SilentOwner.Message message = this.owner.release();
        assertThat(this.instance.lock(SilentOwner.NAME).forceUnlock()).isTrue();
        this.owner.acquire();
        this.proxy.forgetCommands();
        this.owner.publishHint(message);
        soon().until(() -> this.proxy.commandsSeen(Script.ACQUIRE.of(KEY)) > 0);
        assertThat(this.instance.lock("barrier").isLocked()).isFalse();
        this.proxy.forgetCommands();

        this.owner.publish(message);

        soon().until(() -> this.proxy.commandsSeen(Script.ACQUIRE.of(KEY)) > 0);
        assertThat(this.instance.lock("barrier").isLocked()).isFalse();
        assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY))).isZero();
        assertThat(waiting).isNotDone();
    }
}
