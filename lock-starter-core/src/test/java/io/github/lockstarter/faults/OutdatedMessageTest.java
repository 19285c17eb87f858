package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message that may be about a grant that has ended is a hint at most: it never makes an owner. */
@RedisTest
class OutdatedMessageTest {

    private static final String KEY = SilentOwner.KEY;

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final SilentOwner owner;

    private Instance instance;

    OutdatedMessageTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.owner = new SilentOwner(redis);
    }

    private CompletableFuture<Lease> waitPolling(Duration interval) {
        if (this.instance == null) {
            this.instance = this.instances.at(this.proxy, setup -> SilentOwner.polling(setup, interval));
        }
        CompletableFuture<Lease> waiting = this.instance
                .registry()
                .acquireAsync(LockRequest.of(SilentOwner.NAME).withWaitTime(LIMIT))
                .toCompletableFuture();
        this.owner.awaitProof(this.instance, this.proxy);
        this.proxy.forgetCommands();
        return waiting;
    }

    @Test
    void shouldBeIgnoredIfItIsRepeatedAfterTheEndOfItsGrant() throws Exception {
        CompletableFuture<Lease> first = waitPolling(Duration.ofSeconds(10));
        SilentOwner.Message message = this.owner.release();
        this.owner.publish(message);
        assertThat(first.get(LIMIT.toSeconds(), TimeUnit.SECONDS).release()).isTrue();
        this.owner.acquire();
        CompletableFuture<Lease> second = waitPolling(Duration.ofSeconds(10));

        this.owner.publish(message);
        SilentOwner.Message later = this.owner.release();
        this.owner.publish(later);

        Lease lease = second.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(lease.fencingToken()).isEqualTo(later.fencingToken());
        assertThat(lease.release()).isTrue();
        assertThat(this.proxy.commandsSeen(Script.ACQUIRE.of(KEY))).isZero();
        // none if the release came first
        assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY))).isLessThanOrEqualTo(1);
    }

    @Test
    void shouldChangeNothingIfItIsRepeatedDuringItsGrant() throws Exception {
        CompletableFuture<Lease> waiting = waitPolling(Duration.ofSeconds(10));
        SilentOwner.Message message = this.owner.release();
        this.owner.publish(message);
        this.owner.publish(message);
        Lease lease = waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        CompletableFuture<Lease> next = this.instance.waitFor(SilentOwner.NAME);

        this.owner.publish(message);
        this.owner.publishHint(message);

        assertThat(lease.release()).isTrue();
        Lease following = next.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(following.fencingToken()).isGreaterThan(lease.fencingToken());
        this.owner.publish(message);
        assertThat(following.release()).isTrue();
        soon().until(() -> !this.redis.exists(KEY));
        assertThat(this.instance.active()).isZero();
    }

    /** Its token is not larger than that of the owner behind which the waiter stands: the grant was before. */
    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void shouldBeAHintIfItsTokenIsNotLarger(long difference) throws Exception {
        CompletableFuture<Lease> waiting = waitPolling(Duration.ofSeconds(10));

        this.owner.publish(this.owner.present().plus(difference));

        soon().until(() -> this.proxy.commandsSeen(Script.ACQUIRE.of(KEY)) > 0);
        assertThat(this.instance.lock("barrier").isLocked()).isFalse();
        assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY))).isZero();
        assertThat(waiting).isNotDone();
        this.owner.publish(this.owner.release());
        assertThat(waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS).release()).isTrue();
    }

    /** A grant to it may have run out while it heard nothing, and this message may be about that one. */
    @Test
    void shouldBeAHintIfTheProofsHaveAGap() throws Exception {
        Duration poll = Duration.ofMillis(500);
        CompletableFuture<Lease> waiting = waitPolling(poll);
        try (Hold attempt = this.proxy.hold(Script.ACQUIRE.of(KEY))) {
            attempt.awaitReached(LIMIT);
            long heldAt = System.nanoTime();
            soon().until(() -> System.nanoTime() - heldAt > poll.multipliedBy(2).toNanos());
        }
        soon().until(() -> this.proxy.commandsSeen(Script.ACQUIRE.of(KEY)) > 0);
        this.owner.awaitProof(this.instance, this.proxy);
        this.proxy.forgetCommands();

        this.owner.publish(this.owner.release());

        Lease lease = waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(lease.isHeld()).isTrue();
        assertThat(this.proxy.commandsSeen(Script.ACQUIRE.of(KEY))).isPositive();
        assertThat(lease.release()).isTrue();
        assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY))).isZero();
    }

    /** Anything may be published to a channel; the subscription goes on. */
    @Test
    void shouldNotEndTheSubscriptionIfItIsForeign() throws Exception {
        CompletableFuture<Lease> waiting = waitPolling(Duration.ofSeconds(20));
        SilentOwner.Message present = this.owner.present();
        for (String text :
                List.of("", "}", "check", KEY + "id", KEY + ":1", KEY + "id:", KEY + "id:-1", "lock:{}id:1")) {
            this.owner.publishInstead(present, text);
        }
        this.owner.publishInstead(present, KEY + present.acquisitionId() + ":99999999999999999999");

        this.owner.publish(this.owner.release());

        assertThat(waiting.get(5, TimeUnit.SECONDS).release()).isTrue();
        soon().until(() -> !this.redis.exists(KEY));
    }
}
