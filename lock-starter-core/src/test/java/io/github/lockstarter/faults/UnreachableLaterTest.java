package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.testsupport.FaultProxy;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis can no longer be reached, while locks are held. */
@RedisTest
class UnreachableLaterTest {

    private static final Duration LEASE = Duration.ofMillis(1500);

    private static final String KEY = "lock:{late}";

    @AutoClose
    private final Instances instances = new Instances();

    private final FaultProxy proxy;

    private final RedisCli redis;

    private final RedisServer server;

    private final Instance instance;

    UnreachableLaterTest(FaultProxy proxy, RedisCli redis, RedisServer server) {
        this.proxy = proxy;
        this.redis = redis;
        this.server = server;
        this.instance = this.instances.at(proxy, setup -> setup.lease(LEASE).commandTimeout(Duration.ofMillis(250)));
        Script.loadAll(redis);
    }

    @ParameterizedTest
    @EnumSource
    void shouldLoseTheLockAtTheDeadline(Outage outage) throws Exception {
        Instance other = this.instances.at(this.server, setup -> setup.lease(LEASE));
        Lease lease = this.instance.registry().acquire(LockRequest.of("late"));
        outage.begin(this.proxy);
        Call<Lease> successor = Call.start(() -> other.registry().acquire(LockRequest.of("late")));

        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
        assertThat(this.instance.events().count(LockRenewalFailedEvent.class)).isPositive();
        assertThat(this.instance.events().count(LockAtRiskEvent.class)).isPositive();
        assertThat(successor.result().fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(lease.isHeld()).isFalse();

        this.proxy.heal();
        assertThat(lease.release()).isFalse();
        assertThat(this.instance.lock("another").tryLock(LIMIT))
                .as("works again")
                .isTrue();
        assertThat(this.redis.hgetall(KEY))
                .containsEntry("f", Long.toString(successor.result().fencingToken()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheLockIfTheNetworkIsBackInTime(Outage outage) throws Exception {
        Instance patient = this.instances.at(
                this.proxy, setup -> setup.lease(LEASE.multipliedBy(2)).commandTimeout(Duration.ofMillis(250)));
        Lease lease = patient.registry().acquire(LockRequest.of("late"));
        outage.begin(this.proxy);
        soon().until(() -> lease.state() == State.AT_RISK);

        this.proxy.heal();

        soon().until(() -> patient.events().count(LockRecoveredEvent.class) > 0);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(patient.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    /** To the system the old connection stays open for minutes; a client that trusts that loses all its locks. */
    @Test
    void shouldOpenAnotherConnectionBesideOneThatIsSilent() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("late"));
        long accepted = this.proxy.connectionsAccepted();
        this.proxy.swallowRequestOf(Script.RENEW, () -> {});

        soon().until(() -> this.instance.events().count(LockRecoveredEvent.class) > 0);

        assertThat(this.proxy.connectionsAccepted()).isGreaterThan(accepted);
        long renewed = this.instance.events().count(LockRenewedEvent.class);
        soon().until(() -> this.instance.events().count(LockRenewedEvent.class) > renewed + 3);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
        assertThat(this.proxy.connections()).as("the old one was given up").isLessThanOrEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndABoundedWaitInTime(Outage outage) {
        outage.begin(this.proxy);
        Duration wait = Duration.ofSeconds(1);
        LeaseLock lock = this.instance.lock("late");
        long askedAt = System.nanoTime();

        LockStoreException failure = catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(wait));

        assertThat(Duration.ofNanos(System.nanoTime() - askedAt))
                .as("its deadline and one command timeout")
                .isBetween(wait, wait.plusMillis(250 + 1000));
        assertThat(failure.isTransient()).isTrue();
    }

    @Test
    void shouldWorkSoonAfterARestartOfRedis() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("late"));
        this.server.restart();
        long restartedAt = System.nanoTime();

        assertThat(this.instance.lock("another").tryLock(LIMIT)).isTrue();

        assertThat(Duration.ofNanos(System.nanoTime() - restartedAt)).isLessThan(Duration.ofSeconds(3));
        soon().until(() -> lease.state() == State.LOST);
        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS))
                .as("this Redis keeps nothing")
                .isIn(LossReason.DELETED, LossReason.EXPIRED);
        this.instance.lock("another").unlock();
    }

    @Test
    void shouldReleaseInTheBackgroundWhatWasHeldInAShortOutage() throws Exception {
        Instance patient = this.instances.at(
                this.proxy, setup -> setup.lease(Duration.ofSeconds(30)).commandTimeout(Duration.ofMillis(250)));
        Lease lease = patient.registry().acquire(LockRequest.of("late"));
        this.proxy.refuse();
        this.proxy.cutRst();

        assertThat(lease.release()).as("ours until now").isTrue();
        assertThat(this.redis.exists(KEY)).isTrue();
        this.proxy.heal();

        soon().until(() -> !this.redis.exists(KEY));
        assertThat(patient.events().count(LockLostEvent.class)).isZero();
    }
}
