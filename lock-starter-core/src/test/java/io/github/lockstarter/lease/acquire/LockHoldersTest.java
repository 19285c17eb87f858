package io.github.lockstarter.lease.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Which instance a refused call names as the holder of its lock. */
class LockHoldersTest extends AcquisitionFixture {

    @Test
    void shouldNameTheHolderThatTheStoreHasNamed() {
        LockHolder other = new LockHolder("0123456789a", "billing", "host-7", 4711L, Instant.EPOCH);
        Acquisition acquisition = acquisition(LockRequest.FOREVER);
        acquisition.heldBy("0123456789a-0123456789");

        assertThat(refusalBy(acquisition).getMessage()).contains("held by instance 0123456789a.");
        assertThat(refusalBy(acquisition).holder()).isEqualTo(new LockHolder("0123456789a"));

        this.store.publishInstance(other, 10_000);
        this.instances.seen(acquisition.holderId());
        assertThat(refusalBy(acquisition).getMessage())
                .contains("held by billing@host-7 (pid 4711).")
                .doesNotContain("another lease of the caller");
        assertThat(refusalBy(acquisition).holder()).isEqualTo(other);

        acquisition.heldBy("older id");
        assertThat(refusalBy(acquisition).holder()).isEqualTo(new LockHolder("older id"));
    }

    @Test
    void shouldNameThisInstanceIfItHoldsTheLock() {
        Acquisition holder = acquisition(REQUEST, Duration.ZERO);
        assertThat(attempt(holder)).isNotNull();
        Acquisition refused = acquisition(REQUEST, Duration.ZERO);

        assertThat(refusalBy(refused).getMessage()).contains("held by this instance.", "another lease of the caller");
        assertThat(refusalBy(refused).holder().instance()).isEqualTo(this.ids.instance());
        assertThat(refusalBy(refused).holder().application()).isEqualTo("shop");
    }

    private LockNotGrantedException refusalBy(Acquisition acquisition) {
        return (LockNotGrantedException) this.reports.gaveUp(acquisition);
    }
}
