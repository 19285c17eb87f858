package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotGrantedException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a call of a locked method returns and throws, and the lease that the method sees. */
@Timeout(120)
class DistributedLockInterceptorTest {

    @AutoClose
    private static final LockedContext app = LockedContext.of(Work.class);

    private final Work work = app.getBean(Work.class);

    private Throwable thrown;

    private boolean flag;

    @AfterEach
    void assertThatNothingRemains() {
        assertThat(Thread.interrupted()).isFalse();
        assertThat(LeaseContext.current()).isEmpty();
        assertThat(app.registry.active()).isZero();
    }

    @ParameterizedTest
    @MethodSource
    void shouldPropagateExceptionsOfTheMethod(Throwable failure) {
        assertThat(catchThrowable(() -> this.work.run(failure))).isSameAs(failure);
        assertThat(failure.getSuppressed()).isEmpty();
    }

    static List<Throwable> shouldPropagateExceptionsOfTheMethod() {
        return List.of(
                new IllegalStateException(),
                new IOException(),
                new AssertionError(),
                new Throwable(),
                new InterruptedException(),
                new LockNotGrantedException("nested", "other", Duration.ZERO, Duration.ZERO),
                new LockInterruptedException("nested", new InterruptedException()));
    }

    @Test
    void shouldReturnTheResultAndExposeTheInnermostLease() {
        assertThat(this.work.outer(() -> null)).isNull();
        assertThat(this.work.outer(() ->
                        this.work.inner() + " in " + LeaseContext.required().name()))
                .isEqualTo("Work.inner in Work.outer");
    }

    @Test
    void shouldExplainWhyThereIsNoCurrentLease() {
        assertThatThrownBy(LeaseContext::required)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(
                        "'" + Thread.currentThread().getName() + "'",
                        "called on 'this'",
                        "@PostConstruct",
                        "@Async",
                        "LeaseContext.call",
                        "Reactor context",
                        "condition",
                        "distributed-lock.enabled=false",
                        "slice test");
    }

    // ---- Interruption of a call that waits for one of its locks

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
        interruptWhileWaiting(this.work::several);
        assertThat(this.thrown)
                .isExactlyInstanceOf(LockInterruptedException.class)
                .hasMessageContaining("lock 'taken'");
        assertThat(this.flag).isTrue();
        assertThat(app.isLocked("first")).isFalse();
    }

    private void interruptWhileWaiting(ThrowingCallable call) {
        app.takenByAnother("taken", () -> {
            Thread caller = new Thread(() -> {
                this.thrown = catchThrowable(call);
                this.flag = Thread.currentThread().isInterrupted();
            });
            caller.start();
            await().until(() -> app.registry.waiting() == 1);
            caller.interrupt();
            await().until(() -> !caller.isAlive());
        });
    }

    static class Work {

        @DistributedLock
        public void run(Throwable failure) throws Throwable {
            throw failure;
        }

        @DistributedLock
        public String outer(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock
        public String inner() {
            return LeaseContext.required().name();
        }

        @DistributedLock(name = "taken", waitTime = -1)
        public void declaring() throws Exception {}

        @DistributedLock(name = "taken", waitTime = -1)
        public void plain() {}

        @DistributedLock(name = "taken", waitTime = -1)
        public CompletableFuture<String> future() throws InterruptedException {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLock(name = "first")
        @DistributedLock(name = "taken", waitTime = -1)
        public void several() {}
    }
}
