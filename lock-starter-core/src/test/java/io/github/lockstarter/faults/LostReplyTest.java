package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.FaultProxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A command that is executed, and whose reply never comes, or that the client executes again. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class LostReplyTest extends FaultFixture {

    private static final String KEY = "lock:{lost}";

    private static final Duration LEASE = Duration.ofSeconds(12);

    /** How a reply is lost, and what becomes of its connection. */
    enum Loss {
        RESET,
        ORDERLY,
        /** The connection stays open, and transmits nothing any more. */
        SILENCE,
        /** As silence, but half of the reply arrives. */
        TORN;

        void of(Script command, FaultProxy proxy) {
            switch (this) {
                case RESET -> proxy.swallowReplyOf(command, proxy::cutRst);
                case ORDERLY -> proxy.swallowReplyOf(command, proxy::cutFin);
                case SILENCE -> proxy.swallowReplyOf(command, () -> {});
                case TORN -> proxy.tearReplyOf(command, () -> {});
            }
        }
    }

    /** The lease does not end in a test; commands end soon. */
    private static Setup quick(Setup setup) {
        return setup.lease(Duration.ofSeconds(30));
    }

    /** The client has time to replay a command. */
    private static Setup replaying(Setup setup) {
        return setup.calm().sharedConnection();
    }

    @Test
    void shouldBeOneGrantIfTheClientReplaysTheCommand() {
        Instance instance = this.instances.at(this.proxy, LostReplyTest::replaying);
        this.redis.command("CONFIG", "RESETSTAT");
        this.proxy.swallowReplyOf(Script.ACQUIRE, this.proxy::cutFin);
        LeaseLock lock = instance.lock("lost");

        assertThat(lock.tryLock()).isTrue();

        assertThat(this.proxy.commandsSeen(Script.ACQUIRE))
                .as("the client replays")
                .isEqualTo(2);
        assertThatRedisHasOneGrant(lock);
        soon().untilAsserted(() ->
                assertThat(instance.events().count(LockAcquiredEvent.class)).isEqualTo(1));
        assertThat(lock.getHoldCount()).isEqualTo(1);
        lock.unlock();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    private void assertThatRedisHasOneGrant(LeaseLock lock) {
        assertThat(Script.ACQUIRE.idsSeen(this.proxy)).as("one id for all").hasSize(1);
        assertThat(this.redis.infoCommandStats().get("hset")).as("written once").isEqualTo(1);
        assertThat(this.redis.hgetall(KEY))
                .isEqualTo(Map.of(
                        "o",
                        Script.ACQUIRE.idsSeen(this.proxy).iterator().next(),
                        "f",
                        Long.toString(lock.currentLease().fencingToken())));
    }

    @ParameterizedTest
    @EnumSource
    void shouldAskAgainUnderTheSameIdWhileThereIsTime(Loss loss) throws Exception {
        Instance instance = this.instances.at(this.proxy, LostReplyTest::quick);
        this.redis.command("CONFIG", "RESETSTAT");
        loss.of(Script.ACQUIRE, this.proxy);
        LeaseLock lock = instance.lock("lost");

        assertThat(lock.tryLock(LIMIT)).isTrue();

        assertThat(this.proxy.commandsSeen(Script.ACQUIRE)).isGreaterThan(1);
        assertThatRedisHasOneGrant(lock);
        lock.unlock();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void shouldSayThatTheOutcomeIsUnknownAndTakeTheGrantBack(Loss loss) {
        Instance instance = this.instances.at(this.proxy, LostReplyTest::quick);
        this.redis.command("CONFIG", "RESETSTAT");
        loss.of(Script.ACQUIRE, this.proxy);

        LeaseLock lock = instance.lock("lost");
        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

        assertThat(failure.isOutcomeUnknown()).isTrue();
        assertThat(failure).hasMessageContaining("'lost'");
        assertThatTheGrantIsTakenBack(instance);
    }

    /** With a lease of half a minute, a key that is gone in a moment did not run out. */
    private void assertThatTheGrantIsTakenBack(Instance instance) {
        assertThat(this.redis.infoCommandStats().get("hset"))
                .as("it was executed")
                .isEqualTo(1);
        soon().until(() -> !this.redis.exists(KEY));
        assertThat(instance.active()).isZero();
        soon().untilAsserted(() -> assertThat(instance.events().all(LockNotAcquiredEvent.class))
                .extracting(LockNotAcquiredEvent::outcome)
                .containsExactly(Outcome.ERROR));
        assertThat(instance.lock("lost").getHoldCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void shouldNotDeleteTheKeyOfTheSuccessor(Loss loss) throws Exception {
        Instance instance = this.instances.at(this.proxy, LostReplyTest::quick);
        Instance successor = this.instances.at(this.server, LostReplyTest::quick);
        Lease lease = instance.registry().acquire(LockRequest.of("lost"));
        loss.of(Script.RELEASE, this.proxy);
        CompletableFuture<Boolean> release = inThread(lease::release);
        assertThat(successor.lock("lost").tryLock(LIMIT)).isTrue();
        String owner = ownerOf(KEY);

        assertThat(get(release)).as("ours until now").isTrue();
        soon().until(() -> this.proxy.commandsSeen(Script.RELEASE) > 1);
        // Executed after it, on the same connection, which may be silent at first.
        soon().ignoreExceptions().until(() -> !instance.lock("barrier").isLocked());
        assertThatNothingWasLost(instance);
        assertThat(this.redis.hgetall(KEY)).containsEntry("o", owner);
        successor.lock("lost").unlock();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    private static void assertThatNothingWasLost(Instance instance) {
        soon().until(() -> instance.events().count(LockReleasedEvent.class) == 1);
        assertThat(instance.events().all(LockReleasedEvent.class))
                .extracting(LockReleasedEvent::outcome)
                .doesNotContain(LockReleasedEvent.Outcome.LOST);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(instance.active()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void shouldRenewAgainWhenTheReplyIsLost(Loss loss) throws Exception {
        Instance instance = this.instances.at(this.proxy, setup -> setup.lease(LEASE, Duration.ofMillis(500)));
        Lease lease = instance.registry().acquire(LockRequest.of("lost"));
        loss.of(Script.RENEW, this.proxy);

        soon().until(() -> instance.events().count(LockRecoveredEvent.class) > 0);

        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    @Test
    void shouldHaveTheEffectOfOneRenewalWhenTheClientReplaysIt() throws Exception {
        Instance instance = this.instances.at(this.proxy, LostReplyTest::replaying);
        Lease lease = instance.registry().acquire(LockRequest.of("lost"));
        this.proxy.swallowReplyOf(Script.RENEW, this.proxy::cutFin);

        soon().until(() -> instance.events().count(LockRenewedEvent.class) > 0);

        assertThat(this.proxy.commandsSeen(Script.RENEW)).isGreaterThanOrEqualTo(2);
        assertThat(this.redis.pttl(KEY)).isBetween(1L, LEASE.toMillis());
        assertThat(this.redis.hgetall(KEY)).containsEntry("f", Long.toString(lease.fencingToken()));
        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(lease.release()).isTrue();
    }
}
