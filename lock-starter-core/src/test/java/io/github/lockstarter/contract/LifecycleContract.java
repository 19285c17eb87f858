package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.failureOf;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.throughout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.abort;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.fixture.Actor;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.fixture.Remarks;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.ReleaseMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;

/** How a lock goes from one owner to the next, and what a stop and a start of a registry do. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class LifecycleContract extends RegistryFixture {

    private final EventLog heard = new EventLog();

    @Test
    void shouldGiveTheNextOneALeaseOfItsOwnWithoutTheStore() throws Exception {
        EventLog listener = new EventLog();
        LeasingLockRegistry registry = registry(settings(LONG).withHandOff(GENEROUS), listener);
        Lease first = registry.acquire(request());
        CompletableFuture<Lease> waiting = registry.acquireAsync(request());
        awaitWaiting(registry, 1);
        long commands = backend().commands();

        assertThat(first.release()).isTrue();
        Lease second = get(waiting);

        assertThat(backend().commands()).as("in memory").isEqualTo(commands);
        assertThat(second).isNotSameAs(first);
        assertThat(second.fencingToken()).isEqualTo(first.fencingToken() + 1);
        assertThat(registry.active()).isEqualTo(1);
        soon().untilAsserted(() -> assertThat(listener.all(LockHandedOverEvent.class))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.kind()).isEqualTo(Kind.LOCAL);
                    assertThat(event.fencingToken()).isEqualTo(second.fencingToken());
                }));

        first.release();
        first.close();
        assertThat(second.isHeld()).as("released once is enough").isTrue();
        assertThat(registry().getLock(NAME).tryLock()).isFalse();
        assertThat(second.release()).isTrue();
    }

    /** One attempt, which the store would refuse if it reached the store before the release. */
    @Test
    void shouldAcquireAgainAfterAReleaseInTheBackground() {
        LeaseLock lock =
                registry(settings(LONG).withReleaseMode(ReleaseMode.BACKGROUND)).getLock(NAME);

        for (int i = 0; i < 100; i++) {
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        }
    }

    @Test
    void shouldHaveReleasedInTheBackgroundWhenItStops() throws Exception {
        LeasingLockRegistry registry =
                registry(settings(LONG).withReleaseMode(ReleaseMode.BACKGROUND).withHandOff(GENEROUS));
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            leases.add(registry.acquire(LockRequest.of("orders:" + i)));
        }
        leases.forEach(Lease::close);

        registry.stop();

        soon().until(() -> backend().locked().isEmpty());
        assertThat(registry.active()).isZero();
    }

    @Test
    void shouldServeTenThousandOnAHundredLocksWithoutPinningAny() throws Exception {
        ExecutorService threads = virtualThreads();
        try (Recording recording = new Recording()) {
            recording.enable("jdk.VirtualThreadPinned").withoutThreshold().withStackTrace();
            recording.start();
            List<LeasingLockRegistry> registries = List.of(registry(settings(LONG)), registry(settings(LONG)));
            int[] visits = new int[100];
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                int number = i % visits.length;
                LeasingLockRegistry registry = registries.get(i / visits.length % 2);
                LockRequest request = LockRequest.of("orders:" + number).withWaitTime(LONG);
                ends.add(threads.submit(() -> registry.execute(request, lease -> visits[number]++)));
            }
            for (Future<?> end : ends) {
                end.get(50, TimeUnit.SECONDS);
            }
            assertThat(visits).containsOnly(100);
            recording.stop();
            Path file = Files.createTempFile("pinned", ".jfr");
            recording.dump(file);
            assertThat(RecordingFile.readAllEvents(file))
                    .noneMatch(event -> event.getEventType().getName().equals("jdk.VirtualThreadPinned")
                            && List.of("lock", "engine", "registry").stream()
                                    .anyMatch(name -> String.valueOf(event.getStackTrace())
                                            .contains("io.github.lockstarter." + name + '.')));
            Files.delete(file);
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void shouldNoticeThatAVirtualThreadHasEnded() throws Exception {
        ExecutorService threads = virtualThreads();
        try {
            LeaseLock lock = registry(settings(TIMEOUT.multipliedBy(2))).getLock(NAME);
            threads.submit(() -> lock.lock()).get(20, TimeUnit.SECONDS);

            assertThat(lock.tryLock(20, TimeUnit.SECONDS)).isTrue();
            lock.unlock();
        } finally {
            threads.shutdown();
        }
    }

    private static ExecutorService virtualThreads() throws Exception {
        if (Runtime.version().feature() < 21) {
            String reason = "No virtual threads in Java " + Runtime.version() + ", they need 21";
            Remarks.say(reason);
            return abort(reason);
        }
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
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

    /** Stops on another thread, and returns whether the registry still runs then. */
    private CompletableFuture<Boolean> stop(LeasingLockRegistry registry) {
        return actor().start(() -> {
            registry.stop();
            return registry.isRunning();
        });
    }

    @Test
    void shouldRefuseNewAcquisitions() throws Exception {
        LeasingLockRegistry registry = registry();
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
                () -> registry.execute(request(), lease -> true),
                () -> get(registry.acquireAsync(request())),
                () -> get(registry.acquireAsync(request().withWaitTime(Duration.ZERO))));

        for (Callable<?> acquisition : acquisitions) {
            assertThat(catchThrowable(acquisition::call))
                    .as("exception of an acquisition after the stop")
                    .isExactlyInstanceOf(LockException.class)
                    .hasMessageContaining(NAME);
        }

        assertThat(registry.isRunning()).isFalse();
        assertThat(backend().locked()).isEmpty();
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
    void shouldNotifyABodyThatIsNotDoneInTimeAndLeaveItsKey() throws Exception {
        LeasingLockRegistry registry = registry(withShutdownTimeout(LASTING, Duration.ofMillis(200)), this.heard);
        LeaseLock lock = registry.getLock(NAME);
        Actor owner = actor();
        owner.execute(lock::lock);
        Lease lease = owner.ask(lock::currentLease);
        CompletableFuture<LossReason> lost = lease.lost().toCompletableFuture();
        CompletableFuture<Lease> next = registry.acquireAsync(request().withWaitTime(LONG));

        get(stop(registry));

        assertThat(get(lost)).isEqualTo(LossReason.SHUTDOWN);
        assertThat(failureOf(next)).isExactlyInstanceOf(LockException.class);
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(backend().locked()).hasSize(1);
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> owner.execute(lock::unlock))
                .withMessageContaining("shutdown-timeout")
                .satisfies(ex -> assertThat(ex.reason()).isEqualTo(LossReason.SHUTDOWN));
        // neither the stop nor the unlock has deleted the key: it runs out by itself
        assertThat(backend().remaining(NAME)).isBetween(Duration.ofMillis(1), LASTING);
        assertThat(registry().getLock(NAME).tryLock()).isFalse();
        assertThat(registry().getLock(NAME).forceUnlock())
                .as("the lock was kept")
                .isTrue();
    }

    @Test
    void shouldWorkBeforeItsStart() throws Exception {
        LeasingLockRegistry registry = unstarted(lasting());
        registry.stop();
        registry.destroy();
        assertThat(registry.isRunning()).isFalse();
        assertThat(registry.active()).isZero();
        assertThat(registry.waiting()).isZero();
        assertThat(threads()).isEmpty();
        LeaseLock lock = registry.getLock(NAME);

        assertThat(lock.tryLock()).isTrue();
        registry.start();

        awaitRenewals(lock.currentLease());
        assertThat(registry.isRunning()).isTrue();
        lock.unlock();
    }

    @Test
    void shouldWorkFullyAfterARestart() throws Exception {
        LeasingLockRegistry registry = registry(withoutPolling(TIMEOUT.multipliedBy(2)), this.heard);
        LeasingLockRegistry other = registry(settings(LONG));
        for (int restart = 1; restart <= 2; restart++) {
            registry.stop();
            registry.stop();
            assertThat(registry.isRunning()).isFalse();
            registry.start();
            registry.start();
            assertThat(registry.isRunning()).isTrue();
            long renewed = this.heard.count(LockRenewedEvent.class);
            Lease taken = other.acquire(request());
            CompletableFuture<Lease> next = registry.acquireAsync(request().withWaitTime(LONG));
            awaitInLine(1);
            assertThat(taken.release()).isTrue();
            Lease lease = get(next);
            soon().until(() -> this.heard.count(LockRenewedEvent.class) >= renewed + 3);
            assertThat(lease.release()).isTrue();
            int restarts = restart;
            soon().until(() -> this.heard.count(LockReleasedEvent.class) == restarts);
        }
    }

    @Test
    void shouldLetAThreadUnlockWhatItHeldBeforeARestart() throws Exception {
        LeasingLockRegistry registry = registry(withShutdownTimeout(Duration.ZERO));
        LeaseLock lock = registry.getLock(NAME);
        lock.lock();
        lock.lock();
        Lease lease = lock.currentLease();
        Lease unowned = registry.acquire(LockRequest.of("unowned"));
        registry.stop();
        registry.start();

        assertThat(lock.getHoldCount()).isEqualTo(2);
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(get(lease.lost())).isEqualTo(LossReason.SHUTDOWN);
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
        lock.unlock();
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(lock::unlock)
                .satisfies(ex -> assertThat(ex.reason()).isEqualTo(LossReason.SHUTDOWN));
        assertThat(unowned.release()).isFalse();

        assertThat(lock.getHoldCount()).isZero();
        lock.lock();
        assertThat(lock.currentLease().fencingToken()).isGreaterThan(lease.fencingToken());
        lock.unlock();
    }

    @Test
    void shouldCallBackWhenItHasStopped() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.acquire(request());
        CountDownLatch stopped = new CountDownLatch(1);

        registry.stop(stopped::countDown);

        assertThat(stopped.await(300, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(lease.release()).isTrue();
        assertThat(stopped.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(registry.isRunning()).isFalse();
    }

    @Test
    void shouldStopAfterWebServersAndSchedulersAndBeforeConnections() {
        LeasingLockRegistry registry = unstarted(lasting());

        // web servers stop in phases from MAX_VALUE - 2048 on, schedulers in MAX_VALUE / 2, connections in 0
        assertThat(registry.getPhase()).isBetween(1, Integer.MAX_VALUE / 2 - 1);
        assertThat(registry.isAutoStartup()).isTrue();
    }
}
