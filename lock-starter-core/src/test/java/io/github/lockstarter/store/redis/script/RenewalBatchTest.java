package io.github.lockstarter.store.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Renewal;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how the reply to a batch is classified. */
class RenewalBatchTest {

    private static RenewalBatch batch(int size) {
        return RenewalBatch.firstOf(Collections.nCopies(size, new UnnotifiedRenewal()), 100);
    }

    private static byte[] error(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldRecogniseARejectionOfSeveralSlots() {
        List<Object> failures =
                List.of(1L, 0L, 2L, error("CROSSSLOT Keys in request don't hash to the same slot"), 3L, -1L);

        assertThat(batch(3).isRejectedAsCrossSlot(failures)).isTrue();
        assertThat(batch(1).isRejectedAsCrossSlot(failures)).as("alone").isFalse();
    }

    @Test
    void shouldNotTakeOtherFailuresForThat() {
        assertThat(batch(3).isRejectedAsCrossSlot(List.of())).isFalse();
        assertThat(batch(3).isRejectedAsCrossSlot(List.of(1L, 0L, 3L, -1L))).isFalse();
        assertThat(batch(3).isRejectedAsCrossSlot(List.of(2L, error("READONLY You can't write against a replica."))))
                .isFalse();
    }

    /** Fails if it is notified. */
    private static final class UnnotifiedRenewal implements Renewal {

        @Override
        public String lockName() {
            return "a";
        }

        @Override
        public String acquisitionId() {
            return "id";
        }

        @Override
        public long leaseMillis() {
            return 1000;
        }

        @Override
        public void renewed() {
            throw new AssertionError();
        }

        @Override
        public void lost(LossReason reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void failed(LockStoreException cause) {
            throw new AssertionError(cause);
        }
    }
}
