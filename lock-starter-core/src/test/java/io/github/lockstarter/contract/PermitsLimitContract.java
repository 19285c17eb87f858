package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseSemaphore;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Instances apply different limits, as in a rolling deployment. */
abstract class PermitsLimitContract extends SharedFixture {

    PermitsLimitContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldApplyARaisedLimit() throws Exception {
        LeaseSemaphore old = registry().getSemaphore(NAME, 1);
        LeaseSemaphore raised = registry().getSemaphore(NAME, 3);
        Lease first = old.acquire();

        Lease second = raised.tryAcquire().orElseThrow();
        Lease third = raised.tryAcquire().orElseThrow();

        assertThat(raised.tryAcquire()).isEmpty();
        assertThat(old.availablePermits()).as("more are held").isZero();
        assertThat(old.tryAcquire()).isEmpty();
        first.release();
        second.release();
        assertThat(old.tryAcquire()).isEmpty();
        third.release();
        assertThat(old.tryAcquire()).hasValueSatisfying(Lease::release);
    }

    @Test
    void shouldApplyARaisedLimitToWaiters() throws Exception {
        LeaseSemaphore old = registry(quiet(NONE)).getSemaphore(NAME, 1);
        Lease first = old.acquire();
        CompletableFuture<Lease> waiting = old.acquireAsync().toCompletableFuture();
        awaitInLine(1);
        LeaseSemaphore raised = registry(quiet(NONE)).getSemaphore(NAME, 2);
        assertThat(raised.tryAcquire()).as("the other one was there before").isEmpty();
        CompletableFuture<Lease> behind = raised.acquireAsync().toCompletableFuture();
        awaitInLine(2);

        first.release();

        assertThat(get(waiting).isHeld()).isTrue();
        assertThat(get(behind).isHeld()).isTrue();
        get(waiting).release();
        get(behind).release();
    }

    @Test
    void shouldApplyALoweredLimit() throws Exception {
        LeaseSemaphore old = registry().getSemaphore(NAME, 3);
        LeaseSemaphore lowered = registry().getSemaphore(NAME, 1);
        Lease first = old.acquire();
        Lease second = old.acquire();
        CompletableFuture<Lease> waiting = lowered.acquireAsync().toCompletableFuture();
        awaitInLine(1);

        first.release();
        assertThat(waiting).isNotDone();
        assertThat(lowered.tryAcquire()).isEmpty();
        second.release();

        assertThat(get(waiting).release()).isTrue();
    }
}
