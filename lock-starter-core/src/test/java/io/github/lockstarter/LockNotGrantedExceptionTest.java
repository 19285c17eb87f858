package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class LockNotGrantedExceptionTest {

    @Test
    void shouldSurviveSerialization() throws Exception {
        LockNotGrantedException refusal = new LockNotGrantedException(
                "Lock 'orders:42' is held.", "orders:42", Duration.ofNanos(1_500_000), LockRequest.FOREVER);

        LockNotGrantedException copy = (LockNotGrantedException) deserialized(serialized(refusal));

        assertThat(copy).hasMessage("Lock 'orders:42' is held.");
        assertThat(copy.lockName()).isEqualTo("orders:42");
        assertThat(copy.waited()).isEqualTo(Duration.ofNanos(1_500_000));
        assertThat(copy.waitTime()).isEqualTo(LockRequest.FOREVER);
    }

    @Test
    void shouldSurviveSerializationWithItsHolder() throws Exception {
        LockHolder holder = new LockHolder("0123456789a", "billing", "host-7", 4711L, Instant.ofEpochMilli(1));

        LockNotGrantedException copy = (LockNotGrantedException) deserialized(
                serialized(new LockNotGrantedException("Held.", "orders:42", Duration.ZERO, Duration.ZERO, holder)));

        assertThat(copy.holder()).isEqualTo(holder);
        assertThat(new LockNotGrantedException("Held.", "orders:42", Duration.ZERO, Duration.ZERO).holder())
                .isNull();
    }

    private static byte[] serialized(Object object) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    private static Object deserialized(byte[] bytes) throws Exception {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return in.readObject();
        }
    }
}
