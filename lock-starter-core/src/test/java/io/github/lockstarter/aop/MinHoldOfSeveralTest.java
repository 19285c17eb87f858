package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** The minimum hold of a call that acquires several locks begins when all of them are granted. */
class MinHoldOfSeveralTest {

    private static final long MIN_HOLD = 1000;

    @AutoClose
    private final RealLocks app = RealLocks.with(Ticks.class);

    private final Ticks ticks = this.app.bean(Ticks.class);

    static Stream<Named<Consumer<Ticks>>> calls() {
        return Stream.of(
                Named.of("direct", ticks -> ticks.run("a", "b")),
                Named.of("future", ticks -> ticks.future("a", "b").join()),
                Named.of("reactive", ticks -> ticks.reactive("a", "b").block()));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void shouldNotApplyIfOneLockIsNotGranted(Consumer<Ticks> call) {
        this.app.takenByAnother("tick:b", () -> {
            Throwable rejection = catchThrowable(() -> call.accept(this.ticks));

            assertThat(rejection instanceof CompletionException ? rejection.getCause() : rejection)
                    .isInstanceOf(LockNotGrantedException.class)
                    .hasMessageContaining("'tick:b'");
            assertThat(this.app.isLocked("tick:a")).isFalse();
        });
    }

    @ParameterizedTest
    @MethodSource("calls")
    void shouldApplyToAllLocksOnceTheMethodHasRun(Consumer<Ticks> call) {
        long began = System.nanoTime();
        call.accept(this.ticks);

        assertThat(this.app.isLocked("tick:a")).isTrue();
        assertThat(this.app.isLocked("tick:b")).isTrue();
        await().until(() -> !this.app.isLocked("tick:a") && !this.app.isLocked("tick:b"));
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofMillis(MIN_HOLD));
    }

    @Test
    void shouldNotApplyToLocksThatTheCallerHeldBefore() throws Exception {
        this.app.registry.execute(LockRequest.of("tick:a"), lease -> {
            notGrantedBecauseOf("tick:b");
            return lease.isHeld();
        });

        assertThat(this.app.isLocked("tick:a")).isFalse();
    }

    private void notGrantedBecauseOf(String taken) {
        this.app.takenByAnother(
                taken,
                () -> assertThat(catchThrowable(() -> this.ticks.run("a", "b")))
                        .isInstanceOf(LockNotGrantedException.class));
    }

    static class Ticks {

        @DistributedLock(name = "tick", key = "{#one, #other}", waitTime = 0, minHold = MIN_HOLD)
        public void run(String one, String other) {}

        @DistributedLock(name = "tick", key = "{#one, #other}", waitTime = 0, minHold = MIN_HOLD)
        public CompletableFuture<String> future(String one, String other) {
            return CompletableFuture.completedFuture("done");
        }

        @DistributedLock(name = "tick", key = "{#one, #other}", waitTime = 0, minHold = MIN_HOLD)
        public Mono<String> reactive(String one, String other) {
            return Mono.just("done");
        }
    }
}
