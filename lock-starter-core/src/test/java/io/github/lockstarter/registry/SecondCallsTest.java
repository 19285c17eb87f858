package io.github.lockstarter.registry;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeaseClock;
import io.github.lockstarter.engine.RemoteStore;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.registry.AcquireObserver.Acquiring;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that are repeated, or that meet another event, while the first one has no outcome. */
@Timeout(60)
class SecondCallsTest {

    private static final LockRequest REQUEST = LockRequest.of("a");

    private static final LockSettings SETTINGS = LockSettings.of(Duration.ofSeconds(30));

    @AutoClose
    private final RemoteStore.Server server = new RemoteStore.Server();

    private final RemoteStore store = new RemoteStore(this.server);

    private final Events events = new Events();

    /** Runs while a grant is on its way to its owner. */
    private final AtomicReference<Runnable> duringGrant = new AtomicReference<>(() -> {});

    private final class Events implements MeterListener {

        private final AtomicInteger lost = new AtomicInteger();

        private final AtomicInteger released = new AtomicInteger();

        @Override
        public void acquired(LockAcquiredEvent event) {
            SecondCallsTest.this.duringGrant.get().run();
        }

        @Override
        public void lost(LockLostEvent event) {
            this.lost.incrementAndGet();
        }

        @Override
        public void released(LockReleasedEvent event) {
            this.released.incrementAndGet();
        }
    }

    private LeasingLockRegistry registry() {
        return new LeasingLockRegistry(this.store, SETTINGS, this.events, List.of());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static boolean isParked(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndTwoReleasesWithTheAnswerToTheFirst(boolean isTaken) throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.acquire(REQUEST);
        AtomicInteger commands = new AtomicInteger();
        CountDownLatch answer = new CountDownLatch(1);
        this.store.intercept((command, unchanged) -> {
            if (!(command instanceof Command.Release)) {
                return unchanged.apply(command);
            }
            commands.incrementAndGet();
            await(answer);
            Reply reply = unchanged.apply(command);
            return isTaken ? Reply.NotOwner.TAKEN : reply;
        });

        CompletableFuture<Boolean> first = lease.releaseAsync().toCompletableFuture();
        CompletableFuture<Boolean> second = lease.releaseAsync().toCompletableFuture();

        assertThat(Stream.of(first, second))
                .as("releases before the store has answered")
                .noneMatch(CompletableFuture::isDone);
        answer.countDown();
        assertThat(get(first)).as("the lock was held until the first release").isEqualTo(!isTaken);
        assertThat(get(second)).as("the lock was held until the second release").isEqualTo(!isTaken);
        assertThat(lease.release())
                .as("the lock was held until a release after both")
                .isEqualTo(!isTaken);
        assertThat(commands).as("commands of three releases").hasValue(1);
        assertThat(this.events.released).as("events of three releases").hasValue(1);
        registry.stop();
    }

    /** The thread has left the queue of waiters, and does not know its grant yet. */
    @Test
    void shouldKeepAGrantThatMeetsAnInterrupt() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease held = registry.acquire(REQUEST);
        AtomicReference<@Nullable Lease> granted = new AtomicReference<>();
        AtomicReference<@Nullable Boolean> isInterrupted = new AtomicReference<>();
        Thread waiting = new Thread(() -> {
            try {
                granted.set(registry.acquire(REQUEST));
            } catch (InterruptedException ex) {
                // There is no lease then.
            }
            isInterrupted.set(Thread.interrupted());
        });
        waiting.start();
        soon().until(() -> registry.waiting() == 1 && isParked(waiting));
        this.duringGrant.set(() -> {
            waiting.interrupt();
            soon().until(() -> !waiting.isInterrupted());
        });

        held.release();

        waiting.join();
        Lease lease = granted.get();
        assertThat(lease).as("lease of the interrupted thread").isNotNull();
        assertThat(isInterrupted).as("the interrupt is kept").hasValue(true);
        assertThat(lease.release()).as("the lease was held").isTrue();
        assertThat(registry.active()).as("live grants").isZero();
        registry.stop();
    }

    /** The future is cancelled and its grant is lost, both before the future is completed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldGiveBackAGrantWhoseFutureIsCancelledWhenItIsLost(boolean isLostFirst) throws Exception {
        AtomicReference<Runnable> beforeCompletion = new AtomicReference<>(() -> {});
        AcquireObserver observer = (request, instance) -> new Acquiring() {

            @Override
            public void granted(long token) {
                beforeCompletion.getAndSet(() -> {}).run();
            }
        };
        Run run = new Run(
                this.store, SETTINGS, new LockEvents.Observers(this.events, List.of(), observer), LeaseClock.SYSTEM);
        run.start();
        Lease held = get(run.acquisitions.acquireLater(REQUEST, null));
        CompletableFuture<Lease> second = run.acquisitions.acquireLater(REQUEST, null);
        Runnable loss = () -> {
            List<Grant> grants = new ArrayList<>();
            run.engine.forEachGrant("a", grants::add);
            grants.forEach(grant -> run.engine.change(grant, (lock, now) -> lock.takenOver(grant, now)));
        };
        Runnable cancellation = () -> second.cancel(true);
        beforeCompletion.set(() -> {
            (isLostFirst ? loss : cancellation).run();
            (isLostFirst ? cancellation : loss).run();
        });

        held.release();

        soon().untilAsserted(() -> assertThat(this.events.released)
                .as("released grants, one of which was lost")
                .hasValue(2));
        assertThat(second.isCancelled()).as("the future is cancelled").isTrue();
        int losses = this.events.lost.get();
        // A cancellation may have released the grant before the loss.
        assertThat(losses).as("losses").isBetween(isLostFirst ? 1 : 0, 1);
        assertThat(run.engine.liveGrants()).as("live grants").isZero();
        Lease next = get(run.acquisitions.acquireLater(REQUEST, null));
        assertThat(next.release()).as("the next lease was held").isTrue();
        assertThat(this.events.lost).as("losses after the next lease").hasValue(losses);
        run.stop();
    }

    /** Containers stop beans of one phase at the same time, and may stop one of them again. */
    @Test
    void shouldEndTwoStopsWhenTheWorkHasEnded() throws InterruptedException {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.acquire(REQUEST);
        CountDownLatch stopped = new CountDownLatch(2);
        List<Thread> before = List.copyOf(Thread.getAllStackTraces().keySet());

        registry.stop(stopped::countDown);
        registry.stop(stopped::countDown);

        soon().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("lock-stop") && !before.contains(thread)))
                .as("threads that stop the registry while a lease is held")
                .hasSize(2)
                .allMatch(SecondCallsTest::isParked));
        assertThat(stopped.getCount()).as("stops that have not ended").isEqualTo(2);
        assertThat(lease.release()).as("the lease was held").isTrue();
        await(stopped);
        assertThat(registry.isRunning()).as("the registry runs").isFalse();
        assertThat(this.events.lost).as("losses").hasValue(0);
        assertThat(this.events.released).as("released leases").hasValue(1);
    }
}
