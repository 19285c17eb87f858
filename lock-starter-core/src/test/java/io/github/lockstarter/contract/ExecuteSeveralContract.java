package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A body under several locks: in one order, all or none, each once. */
abstract class ExecuteSeveralContract extends RegistryFixture {

    ExecuteSeveralContract(LockBackend backend) {
        super(backend);
    }

    private static List<LockRequest> accounts(String... keys) {
        return Stream.of(keys).map(key -> LockRequest.of("account", key)).toList();
    }

    private static boolean isHeldHere(LockRegistry registry, String key) {
        return registry.getLock("account", key).isHeldByCurrentThread();
    }

    @Test
    void shouldAcquireEachLockOnceInTheOrderOfTheNames() throws Exception {
        List<String> acquired = new CopyOnWriteArrayList<>();
        LeasingLockRegistry registry = registry(new LockListener() {
            @Override
            public void acquired(LockAcquiredEvent event) {
                acquired.add(event.lockName());
            }
        });

        String innermost = registry.execute(accounts("c", "a", "b", "a"), lease -> {
            for (String key : List.of("a", "b", "c")) {
                assertThat(isHeldHere(registry, key)).isTrue();
                assertThat(registry.getLock("account", key).getHoldCount()).isEqualTo(1);
            }
            return lease.name();
        });

        assertThat(innermost).isEqualTo("account:c");
        assertThat(registry.getLock("account", "a").isLocked()).isFalse();
        assertThat(registry.getLock("account", "c").isLocked()).isFalse();
        registry.stop();
        assertThat(acquired).containsExactly("account:a", "account:b", "account:c");
    }

    @Test
    void shouldHoldNoneIfOneIsNotGranted() throws Exception {
        LeasingLockRegistry registry = registry();
        LeasingLockRegistry there = registry();
        List<LockRequest> requests = accounts("c", "b", "a").stream()
                .map(request -> request.withWaitTime(Duration.ZERO).withMinHold(Duration.ofMinutes(1)))
                .toList();

        there.executeWithoutResult(LockRequest.of("account", "b"), taken -> {
            assertThatThrownBy(() -> registry.executeWithoutResult(requests, lease -> {
                        throw new AssertionError("not granted");
                    }))
                    .isInstanceOfSatisfying(
                            LockNotGrantedException.class,
                            ex -> assertThat(ex.lockName()).isEqualTo("account:b"));
            assertThat(registry.getLock("account", "a").isLocked())
                    .as("also not for its minimum hold")
                    .isFalse();
            assertThat(registry.getLock("account", "c").isLocked()).isFalse();
        });
    }

    @Test
    void shouldThrowWhatTheBodyThrows() {
        LeasingLockRegistry registry = registry();
        IOException failure = new IOException("of the body");

        assertThatThrownBy(() -> registry.executeWithoutResult(accounts("a", "b"), lease -> {
                    throw failure;
                }))
                .isSameAs(failure)
                .hasNoSuppressedExceptions();
        assertThat(registry.getLock("account", "a").isLocked()).isFalse();
    }

    @Test
    void shouldNestInALockOfThisThread() {
        LeasingLockRegistry registry = registry();

        registry.executeWithoutResult(LockRequest.of("account", "b"), outer -> {
            registry.executeWithoutResult(accounts("b", "a"), lease -> {
                assertThat(registry.getLock("account", "b").getHoldCount()).isEqualTo(2);
                assertThat(lease.fencingToken()).isEqualTo(outer.fencingToken());
            });
            assertThat(outer.isHeld()).isTrue();
        });
    }

    @Test
    void shouldMixModesAndPermits() {
        LeasingLockRegistry registry = registry();
        Set<LockRequest> requests = Set.of(
                LockRequest.of("account", "a").withMode(LockMode.READ),
                LockRequest.of("account", "a"),
                LockRequest.of("slots", "a").withPermits(1, 2));

        registry.executeWithoutResult(requests, lease -> {
            assertThat(isHeldHere(registry, "a")).isTrue();
            assertThat(registry.getSemaphore("slots", "a", 2).availablePermits())
                    .isEqualTo(1);
        });
        assertThat(registry.getSemaphore("slots", "a", 2).availablePermits()).isEqualTo(2);
    }

    @Test
    void shouldRejectACallWithoutRequests() {
        LeasingLockRegistry registry = registry();
        Collection<LockRequest> none = List.of();

        assertThatThrownBy(() -> registry.executeWithoutResult(none, lease -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
