package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.HandOffSettings;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.engine.ReleaseMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Releases that do not wait for the store change nothing about who may be in. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class BackgroundReleaseContract extends RegistryFixture {

    BackgroundReleaseContract(LockBackend backend) {
        super(backend);
    }

    private static LockSettings inBackground(int handOffs) {
        return settings(LONG)
                .withReleaseMode(ReleaseMode.BACKGROUND)
                .withHandOff(new HandOffSettings(Duration.ofSeconds(10), handOffs));
    }

    @Test
    void shouldGrantToTheSameThreadWhatItHasJustReleased() {
        LeaseLock lock = registry(inBackground(64)).getLock(NAME);
        for (int i = 0; i < 1000; i++) {
            assertThat(lock.tryLock()).as("after " + i + " times").isTrue();
            lock.unlock();
        }
    }

    @Test
    void shouldHaveReleasedWhenItStops() throws Exception {
        LeasingLockRegistry registry = registry(inBackground(64));
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            leases.add(registry.acquire(LockRequest.of("orders:" + i)));
        }
        leases.forEach(Lease::close);

        registry.stop();

        soon().until(() -> backend().locked().isEmpty());
        assertThat(registry.active()).isZero();
    }
}
