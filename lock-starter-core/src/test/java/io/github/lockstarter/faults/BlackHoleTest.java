package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.Lease.State;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAtRiskEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.testsupport.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The network goes silent in the middle of a command, in one direction, and no socket says so. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class BlackHoleTest extends FaultFixture {

    private static final Duration LEASE = Duration.ofMillis(1200);

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(200);

    /** What a busy machine may add to a time that somebody waits for. */
    private static final Duration SLACK = Duration.ofMillis(1500);

    private static final String KEY = "lock:{dark}";

    @ParameterizedTest
    @EnumSource
    void shouldNotKnowWhetherItHasTheLockAndLeaveNothingOfIt(Gap gap) throws Exception {
        Instance instance = behindTheProxy(Duration.ofSeconds(30));
        LeaseLock lock = instance.lock("dark");
        gap.openAt(this.proxy, Script.ACQUIRE.of(KEY));
        try (RedisMonitor monitor = RedisMonitor.of(this.server)) {
            long askedAt = System.nanoTime();

            LockStoreException failure = catchThrowableOfType(LockStoreException.class, lock::tryLock);

            assertThat(since(askedAt)).isLessThan(COMMAND_TIMEOUT.plus(SLACK));
            assertThat(failure.isOutcomeUnknown()).isTrue();
            soon().until(() -> monitor.count(Script.ACQUIRE, KEY) == (gap.isExecuted() ? 1 : 0));
        }
        this.proxy.heal();
        soon().until(() -> !this.redis.exists(KEY));
        assertThat(lock.tryLock(LIMIT)).as("free for everybody").isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(1);
        lock.unlock();
        assertThat(this.redis.exists(KEY)).isFalse();
        assertThat(this.proxy.commandsSeen(Script.RENEW)).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEST", "REPLY"})
    void shouldTellTheOwnerBeforeTheLockIsAnybodyElses(Gap gap) throws Exception {
        Instance instance = behindTheProxy(LEASE);
        Instance other = this.instances.at(this.server);
        Lease lease = instance.registry().acquire(LockRequest.of("dark"));
        gap.openAt(this.proxy, Script.RENEW);
        // Kept until the end: a lease that nobody can reach is renewed no longer.
        AtomicReference<Lease> next = new AtomicReference<>();
        Call<Boolean> successor = Call.start(() -> {
            next.set(other.registry().acquire(LockRequest.of("dark").withWaitTime(LIMIT)));
            return !lease.isHeld() && lease.state() == State.LOST && next.get().fencingToken() > lease.fencingToken();
        });

        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo(LossReason.EXPIRED);
        assertThat(instance.events().all(LockAtRiskEvent.class))
                .as("told first")
                .isNotEmpty();
        assertThat(successor.result()).as("knew that it was lost by then").isTrue();
        this.proxy.forgetCommands();

        this.proxy.heal();
        String owner = this.redis.hgetall(KEY).get("o");
        assertThat(lease.release()).isFalse();
        long renewed = other.events().count(LockRenewedEvent.class);
        soon().until(() -> other.events().count(LockRenewedEvent.class) > renewed + 2);
        assertThat(this.redis.hgetall(KEY)).containsEntry("o", owner);
        assertThat(this.proxy.commandsSeen(Script.RENEW))
                .as("nothing is renewed that is lost")
                .isZero();
        assertThat(instance.events().count(LockLostEvent.class)).isEqualTo(1);
        assertThat(next.get().release()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEST", "REPLY"})
    void shouldReleaseInTheEndAndNotTroubleTheOwner(Gap gap) {
        Instance instance = behindTheProxy(Duration.ofSeconds(30));
        LeaseLock lock = instance.lock("dark");
        lock.lock();
        gap.openAt(this.proxy, Script.RELEASE.of(KEY));
        long askedAt = System.nanoTime();

        assertThatCode(lock::unlock).doesNotThrowAnyException();

        assertThat(since(askedAt)).isLessThan(COMMAND_TIMEOUT.plus(SLACK));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        this.proxy.heal();
        soon().until(() -> !this.redis.exists(KEY));
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
        assertThat(instance.active()).isZero();
    }

    /** With its first question it learns that the lock is taken; with the second it joins the line. */
    @ParameterizedTest
    @EnumSource(names = {"REQUEST", "REPLY"})
    void shouldGoOnWaitingWhenItIsOver(Gap gap) throws Exception {
        Instance owner = this.instances.at(this.server, setup -> setup.lease(Duration.ofSeconds(30)));
        Instance instance = behindTheProxy(LEASE);
        Lease lease = owner.registry().acquire(LockRequest.of("dark"));
        Call<Boolean> waiter = Call.start(() -> instance.registry()
                .execute(
                        LockRequest.of("dark").withWaitTime(LockRequest.FOREVER),
                        next -> next.fencingToken() > lease.fencingToken()));
        WaitingLine.awaitLength(this.redis, KEY, 1);
        AtomicBoolean open = gap.openAt(this.proxy, Script.ACQUIRE.of(KEY));
        soon().untilTrue(open);

        lease.release();
        if (gap.isExecuted()) {
            assertThat(waiter.isDone()).isFalse();
        } else {
            // The message about the grant arrives and may be believed. The time of its claim passes.
            within(LEASE.plus(SLACK)).until(() -> !this.redis.exists(KEY));
        }
        this.proxy.heal();

        assertThat(waiter.result()).isTrue();
        soon().until(() -> this.redis.keys().isEmpty());
        assertThat(instance.events().count(LockLostEvent.class)).isZero();
    }

    private Instance behindTheProxy(Duration lease) {
        return this.instances.at(this.proxy, setup -> setup.lease(lease).commandTimeout(COMMAND_TIMEOUT));
    }

    /**
     * Where on its way a command is when the network goes silent in that direction. Sockets stay open, and the other
     * direction works. {@link FaultProxy#heal()} ends it.
     */
    enum Gap {
        REQUEST,
        HALF_A_REQUEST,
        REPLY,
        HALF_A_REPLY;

        /** Opens at the first command that matches; true once it has. */
        AtomicBoolean openAt(FaultProxy proxy, Predicate<List<String>> command) {
            AtomicBoolean opened = new AtomicBoolean();
            Runnable open = () -> {
                if (isExecuted()) {
                    proxy.swallowReplies();
                } else {
                    proxy.swallowRequests();
                }
                opened.set(true);
            };
            switch (this) {
                case REQUEST -> proxy.swallowRequestOf(command, open);
                case HALF_A_REQUEST -> proxy.tearRequestOf(command, open);
                case REPLY -> proxy.swallowReplyOf(command, open);
                case HALF_A_REPLY -> proxy.tearReplyOf(command, open);
            }
            return opened;
        }

        /** Whether the command is executed all the same. */
        boolean isExecuted() {
            return this == REPLY || this == HALF_A_REPLY;
        }
    }
}
