package io.github.lockstarter.aop;

import static io.github.lockstarter.aop.LockedContext.rejectionOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockQueueFullException;
import io.github.lockstarter.OnNotGranted;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/** The outcome of a call whose lock is not granted. */
class NotGrantedTest {

    @AutoClose
    private static final LockedContext app = LockedContext.of(Jobs.class, TextStore.class);

    private final Jobs jobs = app.getBean(Jobs.class);

    @Test
    void shouldThrowByDefaultAndPropagateTheFailureOfANestedCall() {
        app.takenByAnother("job", () -> {
            assertThatThrownBy(this.jobs::plain)
                    .isInstanceOf(LockNotGrantedException.class)
                    .hasMessageContaining("'job'");
            assertThatThrownBy(() -> this.jobs.skippedWithNested(this.jobs))
                    .isInstanceOf(LockNotGrantedException.class)
                    .hasMessageContaining("'job'");
        });
    }

    @Test
    void shouldSkip() {
        app.takenByAnother("job", () -> {
            this.jobs.skipped();
            assertThat(this.jobs.skippedText()).isNull();
            assertThat(this.jobs.skippedOptional()).isEmpty();
            assertThat(this.jobs.skippedInt()).isEmpty();
            assertThat(this.jobs.skippedLong()).isEmpty();
            assertThat(this.jobs.skippedDouble()).isEmpty();
            assertThat(this.jobs.skippedStage()).isCompletedWithValue(null);
            assertThat(this.jobs.skippedFuture()).isCompletedWithValue(null);
        });
        assertThat(this.jobs.skippedText()).isEqualTo("done");
    }

    @Test
    void shouldCallTheFallback() {
        app.takenByAnother("job", () -> {
            assertThat(this.jobs.withFallback("a")).isEqualTo("instead of a");
            assertThat(this.jobs.withCuriousFallback("a")).startsWith("a: ").contains("'job'");
            assertThatThrownBy(() -> this.jobs.withFailingFallback("a")).hasMessage("on purpose");
        });
        assertThat(this.jobs.withFallback("a")).isEqualTo("done");
    }

    @Test
    void shouldApplyToACallThatMayNotWait() {
        app.takenByAnother("job", () -> {
            assertThatThrownBy(this.jobs::limited)
                    .isInstanceOf(LockQueueFullException.class)
                    .hasMessageContaining("'job'")
                    .hasMessageContaining("at most 0");
            assertThat(this.jobs.limitedAndSkipped()).isNull();
            assertThat(this.jobs.limitedWithFallback("a")).isEqualTo("instead of a");
            assertThat(this.jobs.limitedWithTwoLocks("a"))
                    .as("skipped by the second annotation, without the fallback of the first")
                    .isNull();
            assertThat(this.jobs.limitedFuture())
                    .failsWithin(Duration.ofSeconds(20))
                    .withThrowableThat()
                    .withCauseInstanceOf(LockQueueFullException.class);
            assertThatThrownBy(() -> this.jobs.limitedMono().block()).isInstanceOf(LockQueueFullException.class);
        });
        assertThat(this.jobs.limited()).isEqualTo("done");
    }

    @Test
    void shouldApplyTheAnnotationOfTheLockThatIsNotGranted() {
        app.takenByAnother(
                "job",
                () -> assertThat(this.jobs.withTwoLocks("a"))
                        .as("skipped by the second annotation, without the fallback of the first")
                        .isNull());
    }

    @Test
    void shouldReportTheLossOfAMethodThatReturnsNoFuture() {
        assertThatThrownBy(() -> this.jobs.losing(app))
                .as("loss of a lock whose method returned null")
                .isInstanceOf(LockLostException.class);
    }

    @Test
    void shouldFindAFallbackByItsResolvedTypes() {
        TextStore texts = app.getBean(TextStore.class);
        app.takenByAnother("job", () -> {
            assertThat(texts.save("a")).isEqualTo("kept a");
            assertThat(texts.find("a")).isEqualTo("found a");
        });
    }

    @Test
    void shouldRejectInvalidFallbacks() {
        assertThat(rejectionOf(NoSuchFallback.class))
                .hasMessageContaining("does not match another method of")
                .hasMessageContaining("the same parameters");
        assertThat(rejectionOf(FallbackOfAnotherType.class)).hasMessageContaining("returns Integer instead of String");
    }

    @Test
    void shouldCallTheHandlerOfTheApplication() {
        try (LockedContext handled = LockedContext.of(Jobs.class, Handler.class)) {
            Jobs bean = handled.getBean(Jobs.class);
            handled.takenByAnother("job", () -> {
                assertThat(bean.plain()).isEqualTo("handled plain");
                assertThat(bean.skippedText()).as("specified by the annotation").isNull();
                assertThatThrownBy(bean::count)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("returned a java.lang.String for")
                        .hasMessageContaining("Jobs.count()")
                        .hasCauseInstanceOf(LockNotGrantedException.class);
            });
        }
    }

    @Test
    void shouldCompleteTheFutureForWhichTheHandlerReturnsNothing() {
        try (LockedContext handled = LockedContext.of(Jobs.class, SilentHandler.class)) {
            Jobs bean = handled.getBean(Jobs.class);
            handled.takenByAnother(
                    "job",
                    () -> assertThat(bean.future())
                            .as("the future of a call that the handler answered with null")
                            .isCompletedWithValue(null));
        }
    }

    @Test
    void shouldThrowIfThereAreSeveralHandlers() {
        try (LockedContext handled = LockedContext.of(Jobs.class, Handler.class, SilentHandler.class)) {
            Jobs bean = handled.getBean(Jobs.class);
            handled.takenByAnother(
                    "job",
                    () -> assertThatThrownBy(bean::plain)
                            .as("no handler is chosen at random")
                            .isInstanceOf(LockNotGrantedException.class));
        }
    }

    static class Jobs {

        @DistributedLock(name = "job", waitTime = 0)
        public String plain() {
            return "done";
        }

        @DistributedLock(name = "outer", onNotGranted = OnNotGranted.SKIP)
        public void skippedWithNested(Jobs bean) {
            bean.plain();
        }

        @DistributedLock(name = "job", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public void skipped() {
            throw new AssertionError("not skipped");
        }

        @DistributedLock(name = "job", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public String skippedText() {
            return "done";
        }

        @DistributedLock(name = "job", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public Optional<String> skippedOptional() {
            return Optional.of("done");
        }

        @DistributedLock(name = "job", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public OptionalInt skippedInt() {
            return OptionalInt.of(1);
        }

        @DistributedLock(name = "job", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public OptionalLong skippedLong() {
            return OptionalLong.of(1);
        }

        @DistributedLock(name = "job", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public OptionalDouble skippedDouble() {
            return OptionalDouble.of(1);
        }

        @DistributedLock(name = "job", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public CompletionStage<String> skippedStage() {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLock(name = "job", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public CompletableFuture<String> skippedFuture() {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLock(name = "job", waitTime = 0, fallback = "instead")
        public String withFallback(String what) {
            return "done";
        }

        @DistributedLock(name = "job", waitTime = 0, fallback = "because")
        public String withCuriousFallback(String what) {
            return "done";
        }

        @DistributedLock(name = "job", waitTime = 0, fallback = "failing")
        public String withFailingFallback(String what) {
            return "done";
        }

        @DistributedLock(name = "job", maxWaiters = 0)
        public String limited() {
            return "done";
        }

        @DistributedLock(name = "job", maxWaiters = 0, onNotGranted = OnNotGranted.SKIP)
        public String limitedAndSkipped() {
            return "done";
        }

        @DistributedLock(name = "job", maxWaiters = 0, fallback = "instead")
        public String limitedWithFallback(String what) {
            return "done";
        }

        @DistributedLock(name = "free", fallback = "instead")
        @DistributedLock(name = "job", maxWaiters = 0, onNotGranted = OnNotGranted.SKIP)
        public String limitedWithTwoLocks(String what) {
            return "done";
        }

        @DistributedLock(name = "job", maxWaiters = 0)
        public CompletableFuture<String> limitedFuture() {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLock(name = "job", maxWaiters = 0)
        public Mono<String> limitedMono() {
            return Mono.just("done");
        }

        @DistributedLock(name = "free", waitTime = 0, fallback = "instead")
        @DistributedLock(name = "job", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public String withTwoLocks(String what) {
            return "done";
        }

        @DistributedLock(name = "job", waitTime = 0)
        public CompletableFuture<String> losing(LockedContext context) {
            context.registry.getLock("job").forceUnlock();
            return null;
        }

        String instead(String what) {
            return "instead of " + what;
        }

        @SuppressWarnings("unused") // called by its name
        private String because(String what, LockNotGrantedException failure) {
            return what + ": " + failure.getMessage();
        }

        String failing(String what) {
            throw new IllegalStateException("on purpose");
        }

        @DistributedLock(name = "job", waitTime = 0)
        public CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLock(name = "job", waitTime = 0)
        public int count() {
            return 1;
        }
    }

    interface Keeping<T> {
        T keep(T what);
    }

    static class Store<T> {
        @DistributedLock(name = "job", waitTime = 0, fallback = "keep")
        public T save(T what) {
            return what;
        }

        @DistributedLock(name = "job", waitTime = 0, fallback = "look")
        public T find(T what) {
            return what;
        }

        @SuppressWarnings("unchecked")
        T look(T what) {
            return (T) ("found " + what);
        }
    }

    static class TextStore extends Store<String> implements Keeping<String> {
        @Override
        public String keep(String what) {
            return "kept " + what;
        }
    }

    static class Handler {
        @Bean
        static LockFailureHandler handler() {
            return (failure, method, arguments) -> "handled " + method.getName();
        }
    }

    static class SilentHandler {
        @Bean
        static LockFailureHandler silentHandler() {
            return (failure, method, arguments) -> null;
        }
    }

    static class NoSuchFallback {
        @DistributedLock(fallback = "instead")
        public void work(String what) {}

        void instead(int what) {}
    }

    static class FallbackOfAnotherType {
        @DistributedLock(fallback = "instead")
        public String work() {
            return "";
        }

        Integer instead() {
            return 1;
        }
    }
}
