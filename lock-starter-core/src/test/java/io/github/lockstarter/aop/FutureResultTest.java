package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A method that returns a future holds its lock until that is complete. */
class FutureResultTest {

    @AutoClose
    private final LockedContext app = LockedContext.of(Exports.class);

    private final Exports exports = this.app.getBean(Exports.class);

    @Test
    void shouldHoldTheLockUntilTheFutureIsComplete() {
        CompletableFuture<String> result = this.exports.export();
        assertThat(result).isNotDone();
        assertThat(this.app.isLocked("export")).isTrue();

        this.exports.work().complete("done");

        assertThat(result).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("done");
        assertThat(this.app.isLocked("export")).isFalse();
    }

    @Test
    void shouldReleaseWhenTheWorkOfAStageFails() {
        CompletionStage<String> result = this.exports.stage();
        this.exports.work().completeExceptionally(new IllegalStateException("on purpose"));

        assertThat(result.toCompletableFuture())
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withRootCauseInstanceOf(IllegalStateException.class);
        assertThat(this.app.isLocked("export")).isFalse();
    }

    @Test
    void shouldReleaseWhenTheMethodThrows() {
        assertThatThrownBy(this.exports::fail).hasMessage("on purpose");

        assertThat(this.app.isLocked("export")).isFalse();
    }

    /** Completing the future from outside does not stop the work, so that a second call would run concurrently. */
    @ParameterizedTest
    @ValueSource(strings = {"cancel", "complete", "completeExceptionally"})
    void shouldHoldTheLockUntilTheWorkHasEnded(String outside) {
        CompletableFuture<String> result = this.exports.export();

        switch (outside) {
            case "cancel" -> assertThat(result.cancel(true)).isTrue();
            case "complete" -> assertThat(result.complete("early")).isTrue();
            default ->
                assertThat(result.completeExceptionally(new TimeoutException())).isTrue();
        }

        assertThat(this.exports.work()).isNotDone();
        assertThat(this.app.isLocked("export")).isTrue();
        assertThat(this.exports.export())
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withRootCauseInstanceOf(LockNotGrantedException.class);

        this.exports.work().complete("done");
        await().until(() -> !this.app.isLocked("export"));
    }

    @Test
    void shouldReportALossThatTheReleaseDetects() {
        CompletableFuture<String> result = this.exports.export();
        this.app.registry.getLock("export").forceUnlock();

        this.exports.work().complete("done");

        assertThat(result)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withRootCauseInstanceOf(LockLostException.class);
    }

    @Test
    void shouldCompleteIfTheMethodHasReleasedTheLease() {
        assertThat(this.exports.releasing()).succeedsWithin(Duration.ofSeconds(10));
    }

    @Test
    void shouldReturnTheFutureItselfIfTheConditionIsNotMet() {
        assertThat(this.exports.onRequest(false)).isSameAs(this.exports.work());
        assertThat(this.app.isLocked("export")).isFalse();

        CompletableFuture<String> held = this.exports.onRequest(true);
        assertThat(this.app.isLocked("export")).isTrue();
        this.exports.work().complete("done");
        assertThat(held).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("done");
    }

    static class Exports {

        /** Cannot be converted, which {@link CompletionStage} permits. */
        private final CompletableFuture<String> work = new CompletableFuture<>() {
            @Override
            public CompletableFuture<String> toCompletableFuture() {
                throw new UnsupportedOperationException();
            }
        };

        CompletableFuture<String> work() {
            return this.work;
        }

        @DistributedLock(name = "export", waitTime = 100)
        public CompletableFuture<String> export() {
            return this.work;
        }

        @DistributedLock(name = "export", condition = "#locked")
        public CompletableFuture<String> onRequest(boolean locked) {
            return this.work;
        }

        @DistributedLock(name = "export", waitTime = 100)
        public CompletionStage<String> stage() {
            return this.work;
        }

        @DistributedLock(name = "export", waitTime = 100)
        public CompletableFuture<String> releasing() {
            LeaseContext.required().release();
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLock(name = "export", waitTime = 100)
        public CompletableFuture<String> fail() {
            throw new IllegalStateException("on purpose");
        }
    }
}
