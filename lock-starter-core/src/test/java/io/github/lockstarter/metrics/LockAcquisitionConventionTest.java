package io.github.lockstarter.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.micrometer.common.KeyValue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LockAcquisitionConventionTest {

    private final LockAcquisitionConvention convention = new LockAcquisitionConvention() {};

    @ParameterizedTest
    @CsvSource({"WRITE, write", "READ, read", "PERMIT, permit"})
    void shouldTagTheLockTheModeAndTheOutcome(LockMode mode, String tag) {
        LockRequest lock = LockRequest.of("orders:42");
        LockRequest request = mode == LockMode.PERMIT ? lock.withPermits(1, 2) : lock.withMode(mode);
        LockAcquisitionContext context = new LockAcquisitionContext("orders", request, "instance");

        assertThat(this.convention.getLowCardinalityKeyValues(context))
                .containsExactlyInAnyOrder(KeyValue.of("lock", "orders"), KeyValue.of("distributed.lock.mode", tag));
        context.end(AcquireOutcome.ACQUIRED, 7, null);
        assertThat(this.convention.getLowCardinalityKeyValues(context))
                .contains(KeyValue.of("outcome", "acquired"))
                .hasSize(3);
        assertThat(context.getMode()).isEqualTo(mode);
    }
}
