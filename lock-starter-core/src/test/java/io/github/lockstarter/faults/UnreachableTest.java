package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.failureOf;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.testsupport.Commands;
import io.github.lockstarter.testsupport.Hold;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Redis cannot be reached while locks are held, or when the application stops. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class UnreachableTest extends FaultFixture {

    private static final Duration LEASE = Duration.ofMillis(1500);

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(250);

    private static final String KEY = "lock:{late}";

    private Instance running(Duration lease) {
        return this.instances.at(this.proxy, setup -> setup.lease(lease).commandTimeout(COMMAND_TIMEOUT));
    }

    @ParameterizedTest
    @EnumSource
    void shouldLoseTheLockAtTheDeadline(Outage outage) throws Exception {
        Instance instance = running(LEASE);
        Instance other = this.instances.at(this.server, setup -> setup.lease(LEASE));
        Lease lease = instance.registry().acquire(LockRequest.of("late"));
        outage.begin(this.proxy);
        CompletableFuture<Lease> successor = inThread(() -> other.registry().acquire(LockRequest.of("late")));

        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
        soon().until(() -> instance.events().count(LockLostEvent.class) == 1);
        assertThat(instance.events().count(LockRenewalFailedEvent.class)).isPositive();
        assertThat(instance.events().count(LockAtRiskEvent.class)).isPositive();
        assertThat(get(successor).fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(lease.isHeld()).isFalse();

        this.proxy.heal();
        assertThat(lease.release()).isFalse();
        assertThat(instance.lock("another").tryLock(LIMIT)).as("works again").isTrue();
        assertThat(this.redis.hgetall(KEY))
                .containsEntry("f", Long.toString(get(successor).fencingToken()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheLockIfTheNetworkIsBackInTime(Outage outage) throws Exception {
        Instance patient = this.instances.at(
                this.proxy,
                setup -> setup.lease(Duration.ofSeconds(12), Duration.ofMillis(500))
                        .commandTimeout(COMMAND_TIMEOUT));
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
        // On a busy machine, a shorter lease can end before the other connection is open.
        Instance instance = this.instances.at(
                this.proxy,
                setup -> setup.lease(Duration.ofSeconds(6), Duration.ofMillis(600))
                        .commandTimeout(COMMAND_TIMEOUT)
                        .messages(MessageMode.POLLING));
        Lease lease = instance.registry().acquire(LockRequest.of("late"));
        long accepted = this.proxy.connectionsAccepted();
        this.proxy.swallowRequestOf(Script.RENEW, () -> {});

        soon().until(() -> instance.events().count(LockRecoveredEvent.class) > 0);

        assertThat(this.proxy.connectionsAccepted()).isGreaterThan(accepted);
        instance.awaitRenewals(4);
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(this.proxy.connections()).as("the old one was given up").isLessThanOrEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndABoundedWaitInTime(Outage outage) {
        Instance instance = running(LEASE);
        outage.begin(this.proxy);
        Duration wait = Duration.ofSeconds(1);
        LeaseLock lock = instance.lock("late");
        long askedAt = System.nanoTime();

        LockStoreException failure = catchThrowableOfType(LockStoreException.class, () -> lock.tryLock(wait));

        assertThat(since(askedAt))
                .as("its deadline and one command timeout")
                .isBetween(wait, wait.plus(COMMAND_TIMEOUT).plusSeconds(8));
        assertThat(failure.isTransient()).isTrue();
    }

    @Test
    void shouldReleaseInTheBackgroundWhatWasHeldInAShortOutage() throws Exception {
        Instance patient = running(Duration.ofSeconds(30));
        Lease lease = patient.registry().acquire(LockRequest.of("late"));
        this.proxy.refuse();
        this.proxy.cutRst();

        assertThat(lease.release()).as("ours until now").isTrue();
        assertThat(this.redis.exists(KEY)).isTrue();
        this.proxy.heal();

        soon().until(() -> !this.redis.exists(KEY));
        assertThat(patient.events().count(LockLostEvent.class)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotTakeLongWithoutRedis(Outage outage) throws Exception {
        Instance instance = running(LEASE);
        Lease lease = instance.registry().acquire(LockRequest.of("late"));
        outage.begin(this.proxy);
        CompletableFuture<Boolean> waiter =
                inThread(() -> instance.lock("wanted").tryLock(Duration.ofMinutes(1)));
        soon().until(() -> instance.waiting() == 1);
        long since = System.nanoTime();

        instance.stop();

        assertThat(since(since)).isLessThan(Duration.ofSeconds(9));
        assertThat(lease.isHeld()).isFalse();
        assertThat(failureOf(waiter)).isInstanceOf(LockException.class);
    }

    @ParameterizedTest
    @CsvSource({"hello, true", "hello, false", "subscribe, true", "subscribe, false"})
    @Tag("full")
    void shouldLeaveNoSubscriptionThatWasBeingMade(String command, boolean privateConnection) throws Exception {
        Instance stopping = this.instances.at(
                this.proxy,
                setup -> privateConnection ? setup.calm() : setup.calm().sharedConnection());
        Instance owner = this.instances.at(this.server, setup -> setup.calm().messages(MessageMode.POLLING));
        assertThat(owner.lock("late").tryLock()).isTrue();
        try (Hold making = this.proxy.hold(Commands.named(command))) {
            CompletableFuture<Boolean> waiter =
                    inThread(() -> stopping.lock("late").tryLock(LIMIT));
            making.awaitReached(LIMIT);

            stopping.stop();

            assertThat(failureOf(waiter)).isInstanceOf(LockException.class);
        }
        // longer than the connection takes that was underway
        within(Duration.ofSeconds(8)).during(Duration.ofSeconds(1)).until(() -> Channel.connections(this.redis) == 0);
        assertThat(Channel.subscribers(this.redis)).isZero();
    }
}
