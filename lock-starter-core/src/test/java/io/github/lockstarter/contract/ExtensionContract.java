package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.throughout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
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
    void shouldRefuseWhatIsNoTime() throws Exception {
        Lease lease = registry().acquire(fixed(LONG));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> lease.extend(LockRequest.FOREVER))
                .withMessageContaining(NAME);
        assertThatIllegalArgumentException().isThrownBy(() -> lease.extend(Duration.ZERO));

        assertThat(lease.release()).isTrue();
    }
}
