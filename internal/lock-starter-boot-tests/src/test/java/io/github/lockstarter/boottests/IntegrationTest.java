package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.test.UseInMemoryLocks;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** The registry for the Spring Integration of this line. */
@SpringBootTest
@UseInMemoryLocks
@SuppressWarnings({"rawtypes", "unchecked"}) // Spring Integration 6 has no type parameters there.
class IntegrationTest {

    @Autowired
    private LockRegistry registry;

    @Autowired
    private io.github.lockstarter.LockRegistry locks;

    @Test
    void shouldLockAndRenew() {
        Lock lock = this.registry.obtain("42");
        lock.lock();
        try {
            assertThat(this.locks.getLock("integration:42").isHeldByCurrentThread()).isTrue();
            ((RenewableLockRegistry) this.registry).renewLock("42");
        } finally {
            lock.unlock();
        }
        assertThat(this.locks.getLock("integration:42").isLocked()).isFalse();
    }

    @Test
    void shouldExecuteUnderTheLock() throws Throwable {
        assertThat(executed("43")).isEqualTo(true);
        try (Lease other = this.locks.acquire(LockRequest.of("integration", "43"))) {
            assertThat(other.isHeld()).isTrue();
            assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> executed("43"));
        }
    }

    @Test
    void shouldNotHideTheExceptionOfABody() {
        assertThatIllegalStateException()
                .isThrownBy(() -> this.registry.executeLocked("44", () -> {
                    LeaseLock lock = this.locks.getLock("integration:44");
                    Lease lease = lock.currentLease();
                    lock.forceUnlock();
                    await().until(() -> !lease.isHeld());
                    throw new IllegalStateException("of the body");
                }))
                .withMessage("of the body")
                .satisfies(ex -> assertThat(ex.getSuppressed())
                        .hasOnlyElementsOfType(ConcurrentModificationException.class));
    }

    @Test
    void shouldElectALeader() {
        LockRegistryLeaderInitiator initiator =
                new LockRegistryLeaderInitiator(this.registry, new DefaultCandidate("node-1", "billing"));
        initiator.start();
        try {
            await().until(() -> initiator.getContext().isLeader());
            assertThat(this.locks.getLock("integration:billing").isLocked()).isTrue();
        } finally {
            initiator.stop();
        }
    }

    private Object executed(String key) throws Throwable {
        return this.registry.executeLocked(key, Duration.ofMillis(50), () -> true);
    }
}
