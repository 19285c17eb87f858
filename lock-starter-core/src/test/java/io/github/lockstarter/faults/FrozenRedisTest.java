package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRecoveredEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.fixture.WaitingLine;
import io.github.lockstarter.testsupport.Hold;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Redis stands still for a while, and then executes what has arrived. Its clock, by which keys expire, does not stand
 * still.
 */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class FrozenRedisTest extends FaultFixture {

    private static final Duration LEASE = Duration.ofSeconds(6);

    private static final String KEY = "lock:{frozen}";

    private Instance instance;

    @BeforeEach
    void start() {
        this.instance = this.instances.at(this.proxy, setup -> setup.lease(LEASE));
    }

    @AfterEach
    void thaw() {
        this.server.resume();
    }

    @Test
    void shouldNotifyTheOwnerBeforeTheNextGrant() throws Exception {
        Instance other = this.instances.at(this.server, setup -> setup.lease(LEASE));
        Lease lease = this.instance.registry().acquire(LockRequest.of("frozen"));
        AtomicLong lostAt = new AtomicLong();
        var noticed = lease.lost().thenRun(() -> lostAt.set(System.nanoTime()));
        CompletableFuture<Long> successor = inThread(() -> {
            other.lock("frozen").lock();
            return System.nanoTime();
        });
        long runsOutAt = freezeAfterARenewal();

        // The lease is not read: the watchdog notices its end, without a reply.
        soon().until(() -> noticed.toCompletableFuture().isDone());
        soon().until(() -> this.instance.events().count(LockLostEvent.class) > 0);

        assertThat(this.server.isPaused()).isTrue();
        assertThat(lease.state()).isEqualTo(State.LOST);
        assertThat(this.instance.events().all(LockLostEvent.class))
                .extracting(LockLostEvent::reason)
                .containsExactly(LossReason.EXPIRED);
        assertThat(this.instance.events().all(LockEvent.class))
                .as("a warning came first")
                .extracting(Object::getClass)
                .asInstanceOf(LIST)
                .containsSubsequence(LockAtRiskEvent.class, LockLostEvent.class);
        assertThat(successor.isDone()).isFalse();

        soon().until(() -> System.currentTimeMillis() > runsOutAt);
        this.server.resume();

        assertThat(get(successor)).isGreaterThan(lostAt.get());
        assertThat(lease.release()).as("no longer ours").isFalse();
        assertThat(this.redis.hgetall(KEY).get("f"))
                .as("the successor's, with a larger token")
                .satisfies(token -> assertThat(Long.parseLong(token)).isGreaterThan(lease.fencingToken()));
    }

    @Test
    void shouldNotShowALeaseAsHeldForLongerThanItsKeyLasts() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("frozen"));

        long runsOutAt = freezeAfterARenewal();

        assertThat(endOf(lease)).as("last moment at which the lease was held").isLessThan(runsOutAt);
    }

    /** Returns the last moment at which the lease was held. A pause of this thread can only make it earlier. */
    private static long endOf(Lease lease) {
        long heldAt = 0;
        for (long now = System.currentTimeMillis(); lease.isHeld(); now = System.currentTimeMillis()) {
            heldAt = now;
            LockSupport.parkNanos(1_000_000);
        }
        return heldAt;
    }

    @Test
    void shouldKeepTheLockIfRedisIsBackInTime() throws Exception {
        Lease lease = this.instance.registry().acquire(LockRequest.of("frozen"));
        freezeAfterARenewal();
        long recovered = this.instance.events().count(LockRecoveredEvent.class);
        soon().until(() -> lease.state() == State.AT_RISK);
        soon().until(() -> this.instance.events().count(LockAtRiskEvent.class) > recovered);
        assertThat(lease.isHeld()).isTrue();
        this.server.resume();

        soon().until(() -> this.instance.events().count(LockRecoveredEvent.class) > recovered);
        this.instance.awaitRenewals(1);

        assertThat(lease.state()).isEqualTo(State.HELD);
        assertThat(this.instance.events().count(LockLostEvent.class)).isZero();
        assertThat(lease.release()).isTrue();
        assertThat(this.redis.exists(KEY)).isFalse();
    }

    /** On a busy machine, another renewal can come between asking and freezing: then it freezes after the next one. */
    private long freezeAfterARenewal() {
        while (true) {
            this.instance.awaitRenewals(1);
            this.proxy.forgetCommands();
            long runsOutAt = System.currentTimeMillis() + this.redis.pttl(KEY);
            this.server.pause();
            if (this.proxy.commandsSeen(Script.RENEW) == 0) {
                return runsOutAt;
            }
            this.server.resume();
        }
    }

    /** A lease by a message counts from the moment at which its waiter saw its position, not from the receipt. */
    @Test
    void shouldLoseTheLockBeforeItCanHaveAnotherOwner() throws Exception {
        UnaryOperator<Setup> brief = setup -> setup.lease(Duration.ofSeconds(5))
                .pollInterval(Duration.ofSeconds(1))
                .commandTimeout(Duration.ofMillis(800));
        Instance owner = this.instances.at(this.server, brief);
        Instance waiting = this.instances.at(this.proxy, brief);
        Lease held = owner.acquire("frozen");
        CompletableFuture<Lease> next = waiting.waitFor("frozen");
        WaitingLine.awaitSubscribed(this.redis, KEY, 1);
        long keyEnds;
        try (Hold renewal = this.proxy.hold(Script.RENEW.of(KEY))) {
            assertThat(held.release()).isTrue();
            renewal.awaitReached(LIMIT);
            keyEnds = System.currentTimeMillis() + this.redis.pttl(KEY);
            this.server.pause();
        }
        Lease lease = next.get(10, TimeUnit.SECONDS);
        CompletableFuture<Lease> successor = owner.waitFor("frozen");

        assertThat(endOf(lease)).as("last moment at which the lease was held").isLessThan(keyEnds);
        assertThat(get(lease.lost())).isEqualTo(LossReason.EXPIRED);
        assertThat(this.server.isPaused()).isTrue();
        soon().until(() -> System.currentTimeMillis() > keyEnds);
        this.server.resume();
        assertThat(successor.get(10, TimeUnit.SECONDS).fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(waiting.events().handOvers(Kind.REMOTE)).isEqualTo(1);
        assertThat(lease.release()).isFalse();
    }

    @Test
    void shouldNameTheServerAndTheTimeoutIfItDoesNotWait() {
        this.server.pause();

        LockStoreException failure =
                catchThrowableOfType(LockStoreException.class, this.instance.lock("frozen")::tryLock);

        assertThat(failure)
                .hasMessageContainingAll(
                        "Redis at 127.0.0.1:" + this.proxy.port(),
                        "'frozen'",
                        "did not answer",
                        "unknown whether the command was executed");
        // The engine and the client of Redis have the same time-out.
        assertThat(failure.getMessage())
                .containsPattern("no reply within 400 ms|timed out")
                .doesNotContain("lease");
    }

    /** The acquire waits in the socket of a connection that its client has long given up. */
    @Test
    void shouldTakeBackAnAcquireOfAConnectionThatIsGone() {
        Instance instance = this.instances.at(
                this.proxy, setup -> setup.lease(Duration.ofSeconds(30)).commandTimeout(Duration.ofMillis(200)));
        LeaseLock lock = instance.lock("frozen");
        this.redis.command("CONFIG", "RESETSTAT");
        this.server.pause();
        LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);
        assertThat(failure.isOutcomeUnknown()).isTrue();
        this.proxy.cutRst();

        this.server.resume();
        soon().until(() -> this.redis.infoCommandStats().getOrDefault("hset", 0L) == 1);
        soon().until(() -> !this.redis.exists(KEY));
        assertThat(this.redis.infoCommandStats())
                .as("released, for the lease has not ended")
                .containsEntry("del", 1L);
        assertThat(lock.getHoldCount()).isZero();
    }
}
