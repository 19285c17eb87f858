package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.throughout;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.fixture.EventLog;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A lease that nobody can release any more is renewed no longer. */
abstract class AbandonedLeaseContract extends RegistryFixture {

    private final EventLog heard = new EventLog();

    AbandonedLeaseContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldRunOutWhenItIsDropped() throws Exception {
        LeasingLockRegistry registry = registry(brief(), this.heard);
        long token = acquireAndDrop(registry);

        shouldRunOut(registry, token);
    }

    /** So brief that it runs out soon, and so long that it is renewed until the garbage collector comes. */
    private static LockSettings brief() {
        return settings(TIMEOUT.multipliedBy(4));
    }

    private void shouldRunOut(LeasingLockRegistry registry, long token) {
        soon().until(() -> {
            System.gc();
            return registry.active() == 0;
        });
        soon().untilAsserted(() -> assertThat(this.heard.all(LockLostEvent.class))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.reason()).isEqualTo(LossReason.OWNER_DIED);
                    assertThat(event.fencingToken()).isEqualTo(token);
                }));
        soon().until(() -> backend().locked().isEmpty());
        assertThat(registry.getLock(NAME).tryLock()).isTrue();
        registry.getLock(NAME).unlock();
    }

    private static long acquireAndDrop(LeasingLockRegistry registry) throws InterruptedException {
        return registry.acquire(request()).fencingToken();
    }

    @Test
    void shouldSayNothingOfWhatWasReleased() throws Exception {
        LeasingLockRegistry registry = registry(this.heard);
        for (int i = 0; i < 10; i++) {
            assertThat(registry.acquire(request()).release()).isTrue();
        }

        throughout(Duration.ofMillis(300)).untilAsserted(() -> {
            System.gc();
            assertThat(this.heard.all(LockLostEvent.class)).isEmpty();
        });
    }
}
