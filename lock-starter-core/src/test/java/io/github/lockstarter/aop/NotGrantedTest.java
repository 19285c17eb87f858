package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.OnNotGranted;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;

/** The outcome of a call whose lock is not granted. */
class NotGrantedTest {

    @Test
    void shouldThrowByDefault() {
        try (RealLocks app = RealLocks.with(Jobs.class)) {
            app.takenByAnother(
                    "job",
                    () -> assertThatThrownBy(app.bean(Jobs.class)::plain)
                            .isInstanceOf(LockNotGrantedException.class)
                            .hasMessageContaining("'job'"));
        }
    }

    @Test
    void shouldSkip() {
        try (RealLocks app = RealLocks.with(Jobs.class)) {
            Jobs jobs = app.bean(Jobs.class);
            app.takenByAnother("job", () -> {
                jobs.skipped();
                assertThat(jobs.skippedText()).isNull();
                assertThat(jobs.skippedOptional()).isEmpty();
                assertThat(jobs.skippedFuture()).isCompletedWithValue(null);
                assertThat(jobs.runs()).isZero();
            });

            assertThat(jobs.skippedText()).isEqualTo("done");
        }
    }

    @Test
    void shouldCallTheFallback() {
        try (RealLocks app = RealLocks.with(Jobs.class)) {
            Jobs jobs = app.bean(Jobs.class);
            app.takenByAnother("job", () -> {
                assertThat(jobs.withFallback("a")).isEqualTo("instead of a");
                assertThat(jobs.withCuriousFallback("a")).startsWith("a: ").contains("'job'");
                assertThatThrownBy(() -> jobs.withFailingFallback("a")).hasMessage("on purpose");
            });

            assertThat(jobs.withFallback("a")).isEqualTo("done");
        }
    }

    @Test
    void shouldPropagateTheFailureOfANestedCall() {
        try (RealLocks app = RealLocks.with(Jobs.class, Outer.class)) {
            app.takenByAnother(
                    "job",
                    () -> assertThatThrownBy(app.bean(Outer.class)::skippedWithNested)
                            .isInstanceOf(LockNotGrantedException.class)
                            .hasMessageContaining("'job'"));
        }
    }

    @Test
    void shouldCallTheHandlerOfTheApplication() {
        try (RealLocks app = RealLocks.with(Jobs.class, Handler.class)) {
            Jobs jobs = app.bean(Jobs.class);
            app.takenByAnother("job", () -> {
                assertThat(jobs.plain()).isEqualTo("handled plain");
                assertThat(jobs.skippedText()).as("specified by the annotation").isNull();
            });
        }
    }

    @Test
    void shouldNameAHandlerWhoseResultDoesNotFit() {
        try (RealLocks app = RealLocks.with(Counters.class, Handler.class)) {
            Counters counters = app.bean(Counters.class);
            app.takenByAnother("job", () -> {
                assertThatThrownBy(counters::count)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("returned a java.lang.String for")
                        .hasMessageContaining("Counters.count()")
                        .hasCauseInstanceOf(LockNotGrantedException.class);
                assertThatThrownBy(counters::countLater)
                        .hasMessageContaining("returns java.util.concurrent.CompletableFuture");
            });
        }
    }

    @Test
    void shouldFindAFallbackByItsResolvedTypes() {
        try (RealLocks app = RealLocks.with(TextStore.class)) {
            TextStore texts = app.bean(TextStore.class);
            app.takenByAnother("job", () -> {
                assertThat(texts.save("a")).isEqualTo("kept a");
                assertThat(texts.find("a")).isEqualTo("found a");
            });
        }
    }

    @Test
    void shouldRejectInvalidFallbacks() {
        assertThat(LockedContext.rejectionOf(SkippedNumber.class))
                .hasMessageContaining("onNotGranted = SKIP, but the method returns int");
        assertThat(LockedContext.rejectionOf(NoSuchFallback.class))
                .hasMessageContaining("does not match another method of")
                .extracting(InvalidLockDefinitionException::remedy)
                .asString()
                .contains("the same parameters");
        assertThat(LockedContext.rejectionOf(FallbackOfAnotherType.class))
                .hasMessageContaining("returns Integer instead of String");
        assertThat(LockedContext.rejectionOf(Contradiction.class)).hasMessageContaining("contradict each other");
    }

    static class Jobs {

        private int runs;

        int runs() {
            return this.runs;
        }

        @DistributedLock(name = "job", waitTime = 0)
        public String plain() {
            return "done";
        }

        @DistributedLock(name = "job", waitTime = 0, onNotGranted = OnNotGranted.SKIP)
        public void skipped() {
            this.runs++;
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
    }

    static class Counters {

        @DistributedLock(name = "job", waitTime = 0)
        public int count() {
            return 1;
        }

        @DistributedLock(name = "job", waitTime = 0)
        public CompletableFuture<Integer> countLater() {
            return CompletableFuture.completedFuture(1);
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

    static class Outer {

        private final Jobs jobs;

        Outer(Jobs jobs) {
            this.jobs = jobs;
        }

        @DistributedLock(name = "outer", onNotGranted = OnNotGranted.SKIP)
        public void skippedWithNested() {
            this.jobs.plain();
        }
    }

    static class Handler {

        @Bean
        static LockFailureHandler handler() {
            return (failure, method, arguments) -> "handled " + method.getName();
        }
    }

    static class SkippedNumber {

        @DistributedLock(onNotGranted = OnNotGranted.SKIP)
        public int count() {
            return 1;
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

    static class Contradiction {

        @DistributedLock(fallback = "instead", onNotGranted = OnNotGranted.SKIP)
        public void work() {}

        void instead() {}
    }
}
