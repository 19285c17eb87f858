package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A body under a lock: its result or its exception, and the lock is free again. */
abstract class ExecuteContract extends RegistryFixture {

    ExecuteContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldReturnWhatTheBodyReturns() throws Exception {
        LeasingLockRegistry registry = registry();
        LeaseLock there = registry().getLock(NAME);

        String result = registry.execute(request(), lease -> {
            assertThat(lease.isHeld()).isTrue();
            assertThat(registry.getLock(NAME).isHeldByCurrentThread()).isTrue();
            assertThat(registry.getLock(NAME).currentLease().fencingToken()).isEqualTo(lease.fencingToken());
            assertThat(there.tryLock()).isFalse();
            return "done";
        });

        assertThat(result).isEqualTo("done");
        assertThat(registry.<Object, RuntimeException>execute(request(), lease -> null))
                .isNull();
        assertThat(registry.getLock(NAME).getHoldCount()).isZero();
        assertThat(there.isLocked()).isFalse();
    }

    @Test
    void shouldThrowWhatTheBodyThrows() {
        LeasingLockRegistry registry = registry();

        for (Throwable failure : List.of(
                new IOException("checked"),
                new IllegalArgumentException("unchecked"),
                new StackOverflowError("error"),
                new LockNotGrantedException("of another lock", "other", Duration.ZERO, Duration.ZERO),
                new LockInterruptedException("of another lock", new InterruptedException()),
                new InterruptedException("of the body"))) {
            assertThat(catchThrowable(() -> registry.execute(request(), lease -> sneak(failure))))
                    .isSameAs(failure)
                    .hasNoSuppressedExceptions();
            assertThat(registry.getLock(NAME).isLocked()).isFalse();
        }
        assertThat(registry.getLock(NAME).getHoldCount()).isZero();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <R, E extends Throwable> R sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test
    void shouldNotRunTheBodyWithoutTheLock() throws Exception {
        LeasingLockRegistry here = registry();
        LeasingLockRegistry there = registry();
        AtomicBoolean ran = new AtomicBoolean();
        here.execute(request(), lease -> {
            for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(200))) {
                assertThatExceptionOfType(LockNotGrantedException.class)
                        .isThrownBy(() -> there.execute(request().withWaitTime(wait), other -> {
                            ran.set(true);
                            return true;
                        }))
                        .withMessageContaining(NAME);
            }
            return true;
        });

        assertThat(ran).isFalse();
    }

    @Test
    void shouldNotRunTheBodyWhenInterruptedWhileWaiting() throws Exception {
        LeasingLockRegistry here = registry();
        LeasingLockRegistry there = registry();
        AtomicBoolean ran = new AtomicBoolean();
        here.execute(request(), lease -> {
            for (LeasingLockRegistry registry : List.of(here, there)) {
                Actor waiter = actor();
                CompletableFuture<Boolean> flag = waiter.start(() -> {
                    assertThatExceptionOfType(LockInterruptedException.class)
                            .isThrownBy(() ->
                                    registry.executeWithoutResult(request().withWaitTime(LONG), other -> ran.set(true)))
                            .withMessageContaining(NAME)
                            .withCauseInstanceOf(InterruptedException.class);
                    return Thread.interrupted();
                });
                awaitWaiting(registry, 1);
                waiter.interrupt();
                assertThat(get(flag)).as("interrupt flag").isTrue();
            }
            return true;
        });

        assertThat(ran).isFalse();
    }
}
