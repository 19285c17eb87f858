package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.util.SerializationUtils;

class LockNotGrantedExceptionTest {

    @Test
    void shouldSurviveSerializationWithItsHolder() {
        LockHolder holder = new LockHolder("0123456789a", "billing", "host-7", 4711L, Instant.ofEpochMilli(1));

        LockNotGrantedException copy = SerializationUtils.clone(new LockNotGrantedException(
                "Lock 'orders:42' is held.", "orders:42", Duration.ofNanos(1_500_000), LockRequest.FOREVER, holder));

        assertThat(copy).hasMessage("Lock 'orders:42' is held.");
        assertThat(copy.lockName()).isEqualTo("orders:42");
        assertThat(copy.waited()).isEqualTo(Duration.ofNanos(1_500_000));
        assertThat(copy.waitTime()).isEqualTo(LockRequest.FOREVER);
        assertThat(copy.holder()).isEqualTo(holder);
        assertThat(new LockNotGrantedException("Held.", "orders:42", Duration.ZERO, Duration.ZERO).holder())
                .isNull();
    }
}
