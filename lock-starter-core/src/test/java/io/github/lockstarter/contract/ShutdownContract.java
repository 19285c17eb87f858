package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.failureOf;
import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.contract.Outcomes.throughout;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.fixture.EventLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A stop refuses new acquisitions, lets running bodies end, and notifies those that do not end in time. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ShutdownContract extends RegistryFixture {

    private final EventLog heard = new EventLog();

    ShutdownContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldWaitForARunningBodyAndKeepItsLock() throws Exception {
        LeasingLockRegistry registry = registry(this.heard);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Boolean> body =
                actor().start(() -> registry.execute(request(), lease -> end.await(30, TimeUnit.SECONDS)));
        soon().until(() -> registry.active() == 1);

        CompletableFuture<Boolean> stopped = stop(registry);
        throughout(TIMEOUT).until(() -> !stopped.isDone() && registry.active() == 1);
        assertThat(registry().getLock(NAME).tryLock()).isFalse();
        end.countDown();

        assertThat(get(body)).isTrue();
        assertThat(get(stopped)).isFalse();
        assertThat(backend().locked()).isEmpty();
        assertThat(this.heard.all(LockReleasedEvent.class))
                .singleElement()
                .satisfies(event -> assertThat(event.outcome()).isEqualTo(LockReleasedEvent.Outcome.RELEASED));
    }

    /** Stops on another thread; tells whether it still runs then. */
    private CompletableFuture<Boolean> stop(LeasingLockRegistry registry) {
        return actor().start(() -> {
            registry.stop();
            return registry.isRunning();
        });
    }

    @Test
    void shouldRefuseNewAcquisitions() throws Exception {
        LeasingLockRegistry registry = registry(this.heard);
        registry.stop();

        List<Callable<?>> acquisitions = List.of(
                () -> {
                    registry.getLock(NAME).lock();
                    return true;
                },
                () -> registry.getLock(NAME).tryLock(),
                () -> registry.getLock(NAME).tryLock(1, TimeUnit.SECONDS),
                () -> registry.acquire(request()),
                () -> registry.tryAcquire(request()),
                () -> registry.execute(request(), lease -> true));
        for (Callable<?> acquisition : acquisitions) {
            assertThatExceptionOfType(LockException.class)
                    .isThrownBy(acquisition::call)
                    .withMessageContaining(NAME);
        }

        assertThat(registry.isRunning()).isFalse();
        assertThat(backend().locked()).isEmpty();
        assertThat(registry.waiting()).isZero();
    }

    @Test
    void shouldRefuseNewStages() throws Exception {
        LeasingLockRegistry registry = registry();
        registry.stop();

        assertThat(failureOf(registry.acquireAsync(request())))
                .isExactlyInstanceOf(LockException.class)
                .hasMessageContaining(NAME);
        assertThat(failureOf(registry.acquireAsync(request().withWaitTime(Duration.ZERO))))
                .isExactlyInstanceOf(LockException.class);

        awaitWaiting(registry, 0);
    }

    @Test
    void shouldEndAllWaits() throws Exception {
        Lease taken = registry(settings(LONG)).acquire(request());
        LeasingLockRegistry registry = registry(withoutPolling(LONG), this.heard);
        List<CompletableFuture<?>> waits = List.of(
                actor().start(() -> registry.acquire(request().withWaitTime(LONG))),
                actor().start(() -> {
                    registry.getLock(NAME).lock();
                    return true;
                }),
                actor().start(() -> registry.getLock(NAME).tryLock(LONG)),
                actor().start(() -> registry.execute(request().withWaitTime(LONG), lease -> true)),
                registry.acquireAsync(request().withWaitTime(LONG)));
        awaitWaiting(registry, 5);

        get(stop(registry));

        for (CompletableFuture<?> wait : waits) {
            assertThat(failureOf(wait)).isExactlyInstanceOf(LockException.class).hasMessageContaining(NAME);
        }
        assertThat(registry.waiting()).isZero();
        soon().untilAsserted(() -> assertThat(this.heard.all(LockNotAcquiredEvent.class))
                .hasSize(5)
                .allMatch(event -> event.outcome() == LockNotAcquiredEvent.Outcome.ERROR));
        assertThat(taken.release()).isTrue();
    }

    @Test
    void shouldTellABodyThatIsNotDoneInTimeAndLeaveItsKey() throws Exception {
        LeasingLockRegistry registry = registry(withShutdownTimeout(Duration.ofMillis(200)), this.heard);
        LeaseLock lock = registry.getLock(NAME);
        Actor owner = actor();
        owner.tell(lock::lock);
        Lease lease = owner.ask(lock::currentLease);
        CompletableFuture<LossReason> lost = lease.lost().toCompletableFuture();

        get(stop(registry));

        assertThat(get(lost)).isEqualTo(LossReason.SHUTDOWN);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(backend().locked()).hasSize(1);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> owner.tell(lock::unlock))
                .withMessageContaining("shutdown-timeout")
                .satisfies(ex -> assertThat(ex.reason()).isEqualTo(LossReason.SHUTDOWN));
        // neither the stop nor the unlock has deleted the key: it runs out by itself
        assertThat(backend().remaining(NAME)).isPositive();
        assertThat(registry().getLock(NAME).tryLock()).isFalse();
        soon().until(() -> backend().locked().isEmpty());
    }

    @Test
    void shouldTellInterruptedBodies() throws Exception {
        LeasingLockRegistry registry = registry(withShutdownTimeout(Duration.ZERO));
        CompletableFuture<Boolean> body = actor().start(() -> registry.execute(
                request().withOnLost(OnLost.INTERRUPT), lease -> new CountDownLatch(1).await(30, TimeUnit.SECONDS)));
        soon().until(() -> registry.active() == 1);

        registry.stop();

        assertThat(failureOf(body))
                .isInstanceOf(InterruptedException.class)
                .satisfies(ex -> assertThat(ex.getSuppressed())
                        .singleElement()
                        .isInstanceOfSatisfying(
                                LockLostException.class,
                                loss -> assertThat(loss.reason()).isEqualTo(LossReason.SHUTDOWN)));
    }
}
