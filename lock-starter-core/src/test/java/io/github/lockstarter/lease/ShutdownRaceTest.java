package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.support.LeaseClock;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A stop that meets something in the middle. */
class ShutdownRaceTest extends PuppetRegistry {

    private final ShiftedClock clock = new ShiftedClock();

    private final Gate gate = new Gate();

    @AfterEach
    void open() {
        this.gate.open();
    }

    private LeasingLockRegistry hasty() {
        return registry(settings(TIMEOUT, Duration.ZERO), this.clock);
    }

    /** Nobody looks after a grant of a registry that has stopped. */
    @Test
    void shouldNotGrantWhatTheStoreAnswersAfterTheStop() throws Exception {
        LeasingLockRegistry registry = hasty();
        store().onAcquire(real -> {
            this.gate.pass();
            return real.make();
        });
        CompletableFuture<Lease> lease = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                lease.complete(registry.acquire(request()));
            } catch (Throwable ex) {
                lease.completeExceptionally(ex);
            }
        });
        caller.start();
        this.gate.awaitSomebody();

        CompletableFuture<Void> stop = CompletableFuture.runAsync(registry::stop);
        // it may wait for the answer, but need not
        Throwable pending = catchThrowable(() -> stop.get(1500, TimeUnit.MILLISECONDS));
        this.gate.open();
        stop.get(20, TimeUnit.SECONDS);

        Throwable refusal = catchThrowable(() -> lease.get(20, TimeUnit.SECONDS));
        if (refusal == null) {
            assertThat(pending)
                    .as("it is granted only while the stop waits for it")
                    .isNotNull();
            assertThat(lease.join().state()).isEqualTo(Lease.State.LOST);
        } else {
            assertThat(refusal).hasCauseInstanceOf(LockException.class);
        }
        assertThat(registry.active()).isZero();
    }

    /** The timer has just taken the lease out of the queue to look at it. */
    @Test
    void shouldTellTheOwnerOfALeaseThatIsBeingLookedAt() throws Exception {
        LeasingLockRegistry registry = hasty();
        Lease lease = registry.acquire(request());
        CompletableFuture<LossReason> lost = lease.lost().toCompletableFuture();
        this.clock.whenMillisAreRead(() -> {
            if (Thread.currentThread().getName().startsWith("lock-timer-")) {
                this.gate.pass();
            }
        });
        this.gate.awaitSomebody();

        registry.stop();
        this.clock.whenMillisAreRead(null);
        this.gate.open();

        assertThat(lost.get(20, TimeUnit.SECONDS)).isEqualTo(LossReason.SHUTDOWN);
        assertThat(registry.active()).isZero();
    }

    @Test
    void shouldRefuseAStageWhoseAttemptIsUnderWay() throws Exception {
        LeasingLockRegistry registry = hasty();
        store().onAcquire(real -> {
            this.gate.pass();
            return real.make();
        });
        CompletableFuture<Lease> lease = registry.acquireAsync(request());
        this.gate.awaitSomebody();

        registry.stop();
        this.gate.open();

        assertThat(catchThrowable(() -> lease.get(20, TimeUnit.SECONDS))).hasCauseInstanceOf(LockException.class);
        eventually().until(() -> registry.active() == 0 && registry.waiting() == 0);
    }

    /** Each waiter hears of the stop from the stopping thread and from the store's messages at the same time. */
    @Test
    void shouldTellOnceOfEachWaitThatItEnds() {
        List<LockNotAcquiredEvent> heard = new CopyOnWriteArrayList<>();
        LeasingLockRegistry registry =
                registry(settings(TIMEOUT, Duration.ZERO), LeaseClock.SYSTEM, new LockListener() {
                    @Override
                    public void notAcquired(LockNotAcquiredEvent event) {
                        heard.add(event);
                    }
                });
        for (int i = 0; i < 20; i++) {
            store().acquire("orders:" + i, "somebody", 60_000, false);
        }
        for (int round = 1; round <= 40; round++) {
            registry.start();
            List<CompletableFuture<Lease>> waits = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                waits.add(registry.acquireAsync(LockRequest.of("orders:" + i)));
            }
            eventually().until(() -> registry.waiting() == 20);

            registry.stop();

            eventually().until(() -> waits.stream().allMatch(CompletableFuture::isDone));
            assertThat(heard).hasSize(20 * round);
        }
    }

    /** An engine that has stopped is of no use to its store any more. */
    @Test
    void shouldBeForgottenByTheStoreWhenItHasStopped() {
        LeasingLockRegistry registry = hasty();
        WeakReference<RegistryRun> first = new WeakReference<>(registry.run());

        registry.stop();
        registry.start();

        eventually().until(() -> {
            System.gc();
            return first.get() == null;
        });
    }
}
