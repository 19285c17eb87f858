package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.failureOf;
import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A registry stops while others wait for the lock, in it and elsewhere. */
abstract class HandOverStopContract extends RegistryFixture {

    HandOverStopContract(LockBackend backend) {
        super(backend);
    }

    private static LockRequest patient() {
        return request().withWaitTime(LONG);
    }

    @Test
    void shouldNotDelayOthersWhenOneInLineStops() throws Exception {
        Lease taken = registry(settings(LONG)).acquire(request());
        LeasingLockRegistry stopping = registry(settings(LONG));
        LeasingLockRegistry staying = registry(settings(LONG));
        CompletableFuture<Lease> first = stopping.acquireAsync(patient());
        CompletableFuture<Lease> behind = stopping.acquireAsync(patient());
        CompletableFuture<Lease> inThread = actor().start(() -> stopping.acquire(patient()));
        awaitWaiting(stopping, 3);
        awaitInLine(1);
        CompletableFuture<Lease> next = staying.acquireAsync(patient());
        awaitInLine(2);

        stopping.stop();
        assertThat(taken.release()).isTrue();

        for (CompletableFuture<Lease> each : List.of(first, behind, inThread)) {
            assertThat(failureOf(each)).isInstanceOf(LockException.class).hasMessageContaining("shutting down");
        }
        assertThat(get(next).release()).isTrue();
        assertThat(stopping.waiting()).isZero();
    }

    @Test
    void shouldGiveTheLockToOthersWhenTheHolderStopsAndReleases() throws Exception {
        LeasingLockRegistry stopping = registry(settings(LONG));
        LeasingLockRegistry staying = registry(settings(LONG));
        Lease taken = stopping.acquire(request());
        List<CompletableFuture<Lease>> refused = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            refused.add(stopping.acquireAsync(patient()));
            refused.add(actor().start(() -> stopping.acquire(patient())));
        }
        awaitWaiting(stopping, 10);
        CompletableFuture<Lease> next = staying.acquireAsync(patient());
        awaitInLine(1);

        CompletableFuture<Boolean> stopped = actor().start(() -> {
            stopping.stop();
            return true;
        });
        for (CompletableFuture<Lease> each : refused) {
            assertThat(failureOf(each)).isInstanceOf(LockException.class);
        }
        assertThat(stopped).as("it waits for the body").isNotDone();
        assertThat(taken.release()).isTrue();

        assertThat(get(next).release()).isTrue();
        assertThat(get(stopped)).isTrue();
    }

    @Test
    void shouldLeaveTheLockToRunOutIfItIsStillHeld() throws Exception {
        LeasingLockRegistry stopping = registry(withShutdownTimeout(Duration.ZERO));
        LeasingLockRegistry staying = registry(settings(LONG));
        Lease taken = stopping.acquire(request());
        CompletableFuture<Lease> behind = stopping.acquireAsync(patient());
        CompletableFuture<Lease> next = staying.acquireAsync(patient());
        awaitInLine(1);

        stopping.stop();

        assertThat(taken.isHeld()).isFalse();
        assertThat(failureOf(behind)).isInstanceOf(LockException.class);
        Lease lease = get(next);
        assertThat(lease.fencingToken()).isGreaterThan(taken.fencingToken());
        assertThat(taken.release()).isFalse();
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.release()).isTrue();
    }
}
