package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.testsupport.LogCapture;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The release of a lock in a running transaction is reported once for each name, if nothing states that it is intended.
 */
class UnlockWarningTest {

    @AutoClose
    private final LogCapture log = new LogCapture(UnlockWarning.class.getName());

    @AutoClose
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Shop.class);

    private final LockRegistry registry = this.context.getBean(LockRegistry.class);

    private final TransactionTemplate transactions = this.context.getBean(TransactionTemplate.class);

    private List<String> warnings() {
        return this.log.with("");
    }

    private void inTransaction(Runnable action) {
        this.transactions.executeWithoutResult(status -> action.run());
    }

    private static void lockAndUnlock(LockRegistry registry, String name) {
        LeaseLock lock = registry.getLock(name);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    private void acquireAndClose(LockRequest request) {
        try (Lease lease = this.registry.acquire(request)) {
            assertThat(lease.isHeld()).isTrue();
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void shouldBeLoggedOnceForAName() {
        inTransaction(() -> {
            lockAndUnlock(this.registry, "orders:1");
            lockAndUnlock(this.registry, "orders:2");
        });
        inTransaction(() -> lockAndUnlock(this.registry, "orders:1"));

        assertThat(warnings())
                .singleElement()
                .asString()
                .contains(
                        "'orders'",
                        "withReleaseAfterTransaction(true)",
                        "distributed-lock.warn-on-unlock-in-transaction=false");

        inTransaction(() -> acquireAndClose(LockRequest.of("stock")));
        inTransaction(() -> this.registry.executeWithoutResult(LockRequest.of("mail"), lease -> {}));
        inTransaction(() ->
                this.registry.executeWithoutResult(List.of(LockRequest.of("one"), LockRequest.of("two")), lease -> {}));

        assertThat(warnings())
                .extracting(line -> line.split("'", -1)[1])
                .containsExactly("orders", "stock", "mail", "two", "one");
    }

    @Test
    void shouldNotBeLoggedWithoutATransaction() {
        lockAndUnlock(this.registry, "orders");
        acquireAndClose(LockRequest.of("orders"));

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldNotBeLoggedIfTheRequestStatesWhenTheLockIsReleased() {
        inTransaction(() -> {
            acquireAndClose(LockRequest.of("a").withReleaseAfterTransaction(true));
            acquireAndClose(LockRequest.of("b").withReleaseAfterTransaction(false));
            this.registry.executeWithoutResult(LockRequest.of("c").withReleaseAfterTransaction(true), lease -> {});
        });

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldNotBeLoggedIfTheTransactionIsReadOnlyOrTheGrantIsAPermit() {
        inTransaction(() -> acquireAndClose(LockRequest.of("slots").withPermits(1, 2)));
        this.transactions.setReadOnly(true);
        inTransaction(() -> lockAndUnlock(this.registry, "orders"));

        assertThat(warnings()).isEmpty();
    }

    @Test
    void shouldNotBeLoggedAfterTheCommit() {
        inTransaction(() -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                lockAndUnlock(UnlockWarningTest.this.registry, "orders");
            }
        }));

        assertThat(warnings()).as("warnings of a release after the commit").isEmpty();
    }

    @Test
    void shouldNotBeLoggedIfConfigured() {
        LeasingLockRegistry silent = new LeasingLockRegistry(
                new InMemoryLockStore(),
                LockSettings.of(Duration.ofSeconds(15)).withWarnOnUnlockInTransaction(false),
                null,
                List.of());
        try {
            inTransaction(() -> lockAndUnlock(silent, "orders"));
        } finally {
            silent.stop();
        }

        assertThat(warnings()).isEmpty();
    }
}
