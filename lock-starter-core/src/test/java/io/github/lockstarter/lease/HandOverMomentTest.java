package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.acquire.Acquisition;
import io.github.lockstarter.lease.release.LocalHandOff;
import io.github.lockstarter.lease.settings.HandOffSettings;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A waiter who gives up in the very moment in which the lease is handed over to it. */
@SuppressWarnings("FutureReturnValueIgnored") // a future inside of a future
class HandOverMomentTest extends PuppetRegistry {

    private final ShiftedClock clock = new ShiftedClock();

    private final Gate handingOver = new Gate();

    private final Gate entering = new Gate();

    private LeasingLockRegistry registry;

    private Lease lease;

    @BeforeEach
    void acquire() throws Exception {
        this.registry = registry(
                settings(LONG, Duration.ZERO).withHandOff(new HandOffSettings(Duration.ofSeconds(10), 1_000)),
                this.clock);
        this.lease = this.registry.acquire(request());
    }

    @AfterEach
    void open() {
        this.handingOver.open();
        this.entering.open();
    }

    private static boolean isIn(String className, String method) {
        Predicate<StackWalker.StackFrame> frame =
                candidate -> candidate.getClassName().equals(className)
                        && candidate.getMethodName().equals(method);
        return StackWalker.getInstance().walk(frames -> frames.anyMatch(frame));
    }

    /** Releases on another thread, which has chosen the next one but has not called it yet. */
    private CompletableFuture<Boolean> releaseToTheGate() throws Exception {
        this.clock.whenNanosAreRead(() -> {
            if (isIn(LocalHandOff.class.getName(), "handOff")) {
                this.handingOver.pass();
            } else if (isIn("io.github.lockstarter.lease.acquire.AsyncWait", "start")
                    && !isIn(Acquisition.class.getName(), "<init>")) {
                this.entering.pass();
            }
        });
        CompletableFuture<Boolean> release = CompletableFuture.supplyAsync(this.lease::release);
        this.handingOver.awaitSomebody();
        return release;
    }

    private void shouldBeFree() {
        eventually().until(() -> this.registry.active() == 0 && this.registry.waiting() == 0);
        assertThat(store().isLocked(NAME)).isFalse();
        assertThat(this.registry.held()).isEmpty();
        assertThat(this.registry.awaited()).isEmpty();
    }

    @Test
    void shouldBeInTimeWhenTheTimeIsUpInThatMoment() throws Exception {
        CompletableFuture<Optional<Lease>> waiting = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                waiting.complete(this.registry.tryAcquire(request().withWaitTime(Duration.ofMillis(500))));
            } catch (Throwable ex) {
                waiting.completeExceptionally(ex);
            }
        });
        waiter.start();
        eventually().until(() -> this.registry.waiting() == 1);
        CompletableFuture<Boolean> release = releaseToTheGate();

        throughout(Duration.ofMillis(800)).until(() -> !waiting.isDone());
        this.handingOver.open();

        assertThat(release.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(waiting.get(20, TimeUnit.SECONDS)).hasValueSatisfying(lease -> {
            assertThat(lease.fencingToken()).isEqualTo(this.lease.fencingToken() + 1);
            assertThat(lease.release()).isTrue();
        });
        shouldBeFree();
    }

    @Test
    void shouldGoOnToTheNextWhenItIsInterruptedInThatMoment() throws Exception {
        CompletableFuture<Lease> interrupted = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                interrupted.complete(this.registry.acquire(request()));
            } catch (Throwable ex) {
                interrupted.completeExceptionally(ex);
            }
        });
        waiter.start();
        eventually().until(() -> this.registry.waiting() == 1);
        CompletableFuture<Lease> next = this.registry.acquireAsync(request());
        CompletableFuture<Boolean> release = releaseToTheGate();
        waiter.interrupt();
        eventually().until(() -> !waiter.isInterrupted());

        this.handingOver.open();

        assertThat(release.get(20, TimeUnit.SECONDS)).isTrue();
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> interrupted.get(20, TimeUnit.SECONDS))
                .withCauseInstanceOf(InterruptedException.class);
        assertThat(next.get(20, TimeUnit.SECONDS).fencingToken()).isEqualTo(this.lease.fencingToken() + 2);
        assertThat(next.join().release()).isTrue();
        shouldBeFree();
    }

    @Test
    void shouldGoOnToTheNextWhenItIsCancelledInThatMoment() throws Exception {
        CompletableFuture<Lease> cancelled = this.registry.acquireAsync(request());
        CompletableFuture<Lease> next = this.registry.acquireAsync(request());
        CompletableFuture<Boolean> release = releaseToTheGate();

        cancelled.cancel(false);
        throughout(Duration.ofMillis(200)).until(() -> !next.isDone());
        this.handingOver.open();

        assertThat(release.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(next.get(20, TimeUnit.SECONDS).fencingToken()).isEqualTo(this.lease.fencingToken() + 2);
        assertThat(next.join().release()).isTrue();
        shouldBeFree();
    }

    @Test
    void shouldGoToTheStoreWhenTheOnlyOneIsCancelledInThatMoment() throws Exception {
        CompletableFuture<Lease> cancelled = this.registry.acquireAsync(request());
        CompletableFuture<Boolean> release = releaseToTheGate();

        cancelled.cancel(false);
        this.handingOver.open();

        assertThat(release.get(20, TimeUnit.SECONDS)).isTrue();
        shouldBeFree();
    }

    /** It enters the queue only to see that somebody is before it, and is called before it has left again. */
    @Test
    void shouldNotBeForgottenByOneWhoTriesOnce() throws Exception {
        LockRequest once = request().withWaitTime(Duration.ZERO);
        this.clock.whenNanosAreRead(() -> {
            if (isIn(LocalHandOff.class.getName(), "handOff")) {
                this.handingOver.pass();
            } else if (isIn("io.github.lockstarter.lease.acquire.AsyncWait", "start")
                    && !this.entering.isReached()
                    && this.registry.waiting() > 0) {
                this.entering.pass();
            }
        });
        CompletableFuture<CompletableFuture<Lease>> tried =
                CompletableFuture.supplyAsync(() -> this.registry.acquireAsync(once));
        this.entering.awaitSomebody();
        CompletableFuture<Boolean> release = CompletableFuture.supplyAsync(this.lease::release);
        this.handingOver.awaitSomebody();
        this.entering.open();
        CompletableFuture<Lease> result = tried.get(20, TimeUnit.SECONDS);
        CompletableFuture<?> unused = result.thenAccept(Lease::close);
        // it leaves, or sees that it is being called and waits for that
        throughout(Duration.ofMillis(300)).until(() -> true);

        this.handingOver.open();

        assertThat(release.get(20, TimeUnit.SECONDS)).isTrue();
        shouldBeFree();
    }
}
