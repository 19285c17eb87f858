package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.throughout;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** An owner may lengthen its lease, and learns then whether the lock is still its own. */
abstract class ExtensionContract extends RegistryFixture {

    private static final Duration LEASE = Duration.ofSeconds(1);

    ExtensionContract(LockBackend backend) {
        super(backend);
    }

    private static LockRequest fixed(Duration lease) {
        return LockRequest.of(NAME).withLease(lease).withWaitTime(Duration.ZERO);
    }

    @Test
    void shouldOutliveTheLeaseItBeganWith() throws Exception {
        Lease lease = registry().acquire(fixed(LEASE));
        long token = lease.fencingToken();

        lease.extend(LONG);

        assertThat(backend().remaining(NAME)).isBetween(Duration.ofSeconds(30), LONG);
        throughout(LEASE.plusMillis(200)).until(lease::isHeld);
        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(30), Duration.ofSeconds(54));
        assertThat(lease.fencingToken()).isEqualTo(token);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldShortenNothing() throws Exception {
        Lease lease = registry().acquire(fixed(LONG));

        lease.extend(LEASE);

        assertThat(backend().remaining(NAME)).isGreaterThan(Duration.ofSeconds(30));
        assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(30));
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldStillBeRenewedAfterwards() throws Exception {
        Lease lease = registry().acquire(LockRequest.of(NAME));

        lease.extend(Duration.ofMillis(100));

        awaitRenewals(lease);
        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldRefuseWhatIsNoTime() throws Exception {
        Lease lease = registry().acquire(fixed(LONG));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> lease.extend(LockRequest.FOREVER))
                .withMessageContaining(NAME);
        assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(Duration.ZERO));

        assertThat(lease.release()).isTrue();
    }

    @Test
    void shouldNotBringBackWhatIsOver() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lost = registry.acquire(fixed(Duration.ofMillis(100)));
        soon().until(() -> !lost.isHeld());

        assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.extend(LONG));
        assertThat(lost.release()).isFalse();

        soon().until(() -> backend().locked().isEmpty());
        Lease released = registry.acquire(fixed(LONG));
        assertThat(released.release()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> released.extend(LONG))
                .withMessageContaining(NAME);
        assertThat(backend().locked()).isEmpty();
    }

    @Test
    void shouldNoticeThatAnotherHasTheLock() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease lease = registry.acquire(fixed(LONG));
        assertThat(registry.getLock(NAME).forceUnlock()).isTrue();
        Lease other = registry().acquire(fixed(Duration.ofSeconds(30)));

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> lease.extend(LONG))
                .satisfies(ex -> assertThat(ex.reason()).isEqualTo(LossReason.TAKEN_OVER));

        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(backend().remaining(NAME)).as("the lease of the other").isLessThanOrEqualTo(Duration.ofSeconds(30));
        assertThat(lease.release()).isFalse();
        assertThat(other.release()).isTrue();
    }
}
