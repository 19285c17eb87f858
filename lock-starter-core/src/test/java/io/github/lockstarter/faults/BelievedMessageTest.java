package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.Hold;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A message about a grant is the grant: a renewal follows, and no acquire command. */
@RedisTest
class BelievedMessageTest {

    private static final String KEY = SilentOwner.KEY;

    private static final Duration POLL = Duration.ofSeconds(4);

    private static final Duration CLAIM = POLL.multipliedBy(2);

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final SilentOwner owner;

    private final Instance instance;

    BelievedMessageTest(FaultProxy proxy, RedisCli redis) {
        this.proxy = proxy;
        this.redis = redis;
        this.owner = new SilentOwner(redis);
        this.instance = this.instances.at(proxy, setup -> SilentOwner.polling(setup, POLL));
    }

    private void awaitProof() {
        this.owner.awaitProof(this.instance, this.proxy);
        this.proxy.forgetCommands();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNeedNoAcquire(Way way) throws Exception {
        Call<Long> call = Call.start(() -> way.tokenOf(this.instance));
        awaitProof();

        SilentOwner.Message message = this.owner.release();
        this.owner.publish(message);

        assertThat(call.result()).isEqualTo(message.fencingToken());
        soon().until(() -> !this.redis.exists(KEY));
        // none if the release came first
        assertThat(this.proxy.commandsSeen(Script.RENEW.of(KEY))).isLessThanOrEqualTo(1);
        assertThat(this.proxy.commandsSeen(Script.ACQUIRE.of(KEY))).isZero();
        assertThat(this.instance.events().handOvers(Kind.REMOTE)).isEqualTo(1);
    }

    @Test
    void shouldHaveTheFullLeaseSetAtOnce() throws Exception {
        CompletableFuture<Lease> waiting = this.instance.waitFor(SilentOwner.NAME);
        awaitProof();

        this.owner.publish(this.owner.release());

        Lease lease = waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) == 1);
        assertThat(this.redis.pttl(KEY)).isGreaterThan(CLAIM.toMillis());
        assertThat(lease.remaining()).isGreaterThan(CLAIM);
        assertThat(lease.release()).isTrue();
    }

    /** The time of its receipt would be too late: the key ends before that belief. */
    @Test
    void shouldCountFromBeforeTheGrantHoweverLateTheMessageIs() throws Exception {
        CompletableFuture<Lease> waiting = this.instance.waitFor(SilentOwner.NAME);
        awaitProof();
        try (Hold renewal = this.proxy.hold(Script.RENEW.of(KEY))) {
            SilentOwner.Message message = this.owner.release();
            soon().until(() -> this.redis.pttl(KEY) < CLAIM.minusMillis(1500).toMillis());
            this.owner.publish(message);
            Lease lease = waiting.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            renewal.awaitReached(LIMIT);

            long before = System.nanoTime();
            long keyEnds = before + TimeUnit.MILLISECONDS.toNanos(this.redis.pttl(KEY));
            long left = lease.remaining().toNanos();
            assertThat(left).isPositive();
            assertThat(System.nanoTime() + left).isLessThan(keyEnds);
        }
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) == 1);
        assertThat(waiting.join().release()).isTrue();
    }

    /** The ways to wait for a lock; each returns the token that it had. */
    enum Way {
        LEASE {
            @Override
            long tokenOf(Instance instance) throws Exception {
                try (Lease lease = instance.acquire(SilentOwner.NAME)) {
                    return lease.fencingToken();
                }
            }
        },
        FUTURE {
            @Override
            long tokenOf(Instance instance) throws Exception {
                try (Lease lease = instance.waitFor(SilentOwner.NAME).get(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                    return lease.fencingToken();
                }
            }
        },
        LOCK {
            @Override
            long tokenOf(Instance instance) {
                instance.lock(SilentOwner.NAME).lock();
                try {
                    return instance.lock(SilentOwner.NAME).currentLease().fencingToken();
                } finally {
                    instance.lock(SilentOwner.NAME).unlock();
                }
            }
        },
        BODY {
            @Override
            long tokenOf(Instance instance) {
                return instance.registry().execute(LockRequest.of(SilentOwner.NAME), Lease::fencingToken);
            }
        };

        abstract long tokenOf(Instance instance) throws Exception;
    }
}
