package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A lock with a minimum hold stays taken until that is over, whenever its owner is done. */
abstract class MinHoldContract extends RegistryFixture {

    private static final Duration MIN_HOLD = Duration.ofMillis(600);

    MinHoldContract(LockBackend backend) {
        super(backend);
    }

    private static LockRequest tick() {
        return LockRequest.of(NAME).withMinHold(MIN_HOLD).withWaitTime(Duration.ZERO);
    }

    @Test
    void shouldStayTakenAfterItsRelease() throws Exception {
        long began = System.nanoTime();
        Lease lease = registry().acquire(tick());
        assertThat(lease.release()).isTrue();

        assertThat(lease.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(lease.lost().toCompletableFuture()).isNotDone();
        assertThat(registry().tryAcquire(tick())).as("another instance").isEmpty();
        assertThat(backend().remaining(NAME)).isLessThanOrEqualTo(MIN_HOLD);

        Lease next = registry().acquire(LockRequest.of(NAME).withWaitTime(LONG));
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(MIN_HOLD.toNanos());
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        assertThat(next.release()).isTrue();
    }

    @Test
    void shouldReleaseAtOnceWhenTheTimeIsOver() throws Exception {
        Lease lease = registry().acquire(tick().withMinHold(Duration.ofMillis(1)));
        Outcomes.throughout(Duration.ofMillis(50)).until(lease::isHeld);

        assertThat(lease.release()).isTrue();

        Optional<Lease> next = registry().tryAcquire(tick());
        assertThat(next).isPresent();
        next.orElseThrow().close();
    }

    @Test
    void shouldStayTakenForANestedHoldThatAsksForIt() throws Exception {
        LeasingLockRegistry registry = registry();
        LockRequest request = LockRequest.of(NAME);
        long began = System.nanoTime();
        registry.execute(request, outer -> {
            registry.execute(tick(), nested -> true);
            return registry.execute(tick().withMinHold(Duration.ofMillis(1)), nested -> true);
        });

        assertThat(registry().tryAcquire(request.withWaitTime(Duration.ZERO))).isEmpty();
        Lease next = registry().acquire(request.withWaitTime(LONG));
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(MIN_HOLD.toNanos());
        assertThat(next.release()).isTrue();
    }
}
