package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.store.AcquireReply;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Attempts that are executed only after the lock was lost and released: they take it for nobody. */
class LateAcquireTest extends PuppetRegistry {

    private final AtomicReference<PuppetStore.Call<AcquireReply>> late = new AtomicReference<>();

    /** Acquires with the second attempt; the first is on its way for longer. */
    private Lease acquire() throws InterruptedException {
        store().onAcquire(real -> {
            store().onAcquire(PuppetStore.Call::make);
            this.late.set(real);
            throw Failures.unanswered();
        });
        return registry(settings(LONG, Duration.ZERO), LeaseClock.SYSTEM).acquire(request());
    }

    private void shouldBeTakenBack() {
        this.late.get().make();
        eventually().until(() -> !store().isLocked(NAME));
    }

    @Test
    void shouldTakeBackWhatComesAfterARelease() throws Exception {
        Lease lease = acquire();

        assertThat(lease.release()).isTrue();

        shouldBeTakenBack();
    }

    @Test
    void shouldTakeBackWhatComesAfterALossFoundInRelease() throws Exception {
        Lease lease = acquire();
        store().forceRelease(NAME);

        assertThat(lease.release()).isFalse();

        shouldBeTakenBack();
    }
}
