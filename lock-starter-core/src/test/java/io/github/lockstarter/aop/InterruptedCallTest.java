package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockInterruptedException;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** A call that is interrupted while it waits for one of its locks, with a real registry. */
class InterruptedCallTest {

    @AutoClose
    private final RealLocks app = RealLocks.with(Work.class);

    private final Work work = this.app.bean(Work.class);

    private Throwable thrown;

    private boolean flag;

    @Test
    void shouldThrowInterruptedExceptionWithTheFlagClearedIfTheMethodDeclaresIt() {
        interruptWhileWaiting(this.work::declaring);

        assertThat(this.thrown).isExactlyInstanceOf(InterruptedException.class);
        assertThat(this.flag).isFalse();
    }

    @Test
    void shouldThrowLockInterruptedExceptionWithTheFlagSetIfItDoesNot() {
        interruptWhileWaiting(this.work::plain);

        assertThat(this.thrown)
                .isExactlyInstanceOf(LockInterruptedException.class)
                .hasMessageContainingAll("lock 'taken'", Work.class.getName() + ".plain()")
                .hasCauseExactlyInstanceOf(InterruptedException.class);
        assertThat(this.flag).isTrue();
    }

    /** It would not get an InterruptedException if it declared that. */
    @Test
    void shouldFailTheFutureWithAnApplicableRemedy() {
        interruptWhileWaiting(() -> this.work.future().join());
        assertThat(this.thrown).rootCause().isExactlyInstanceOf(InterruptedException.class);
        assertThat(this.thrown.getCause())
                .isExactlyInstanceOf(LockInterruptedException.class)
                .hasMessageContainingAll("lock 'taken'", Work.class.getName() + ".future()", "acquireAsync")
                .hasMessageNotContaining("Declare");
        assertThat(this.flag).isTrue();
    }

    @Test
    void shouldReleaseTheLocksThatWereGrantedBefore() {
        interruptWhileWaiting(this.work::severalDeclaring);
        assertThat(this.thrown).isExactlyInstanceOf(InterruptedException.class);
        assertThat(this.flag).isFalse();

        interruptWhileWaiting(this.work::several);
        assertThat(this.thrown)
                .isExactlyInstanceOf(LockInterruptedException.class)
                .hasMessageContaining("lock 'taken'");
        assertThat(this.flag).isTrue();

        assertThat(this.app.isLocked("first")).isFalse();
    }

    @Test
    void shouldPropagateTheInterruptionOfANestedWait() {
        Throwable nested = catchThrowable(() -> this.work.run(() -> {
            throw new LockInterruptedException("of another lock", new InterruptedException());
        }));

        assertThat(nested).isExactlyInstanceOf(LockInterruptedException.class).hasMessage("of another lock");
    }

    private void interruptWhileWaiting(ThrowingCallable call) {
        this.app.takenByAnother("taken", () -> {
            Thread caller = new Thread(() -> {
                this.thrown = catchThrowable(call);
                this.flag = Thread.currentThread().isInterrupted();
            });
            caller.start();
            await().until(() -> this.app.registry.waiting() == 1);
            caller.interrupt();
            await().until(() -> !caller.isAlive());
        });
    }

    static class Work {

        @DistributedLock(name = "taken", waitTime = -1)
        public void declaring() throws InterruptedException {}

        @DistributedLock(name = "taken", waitTime = -1)
        public void plain() {}

        @DistributedLock(name = "taken", waitTime = -1)
        public CompletableFuture<String> future() throws InterruptedException {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLock(name = "first")
        @DistributedLock(name = "taken", waitTime = -1)
        public void severalDeclaring() throws InterruptedException {}

        @DistributedLock(name = "first")
        @DistributedLock(name = "taken", waitTime = -1)
        public void several() {}

        @DistributedLock(name = "free")
        public void run(Runnable body) {
            body.run();
        }
    }
}
