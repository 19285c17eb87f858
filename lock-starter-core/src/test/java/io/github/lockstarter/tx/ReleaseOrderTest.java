package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A lock that a transaction keeps is held while all other synchronizations run, whatever the order of their
 * registration.
 */
class ReleaseOrderTest {

    private static final LockRequest BOUND = LockRequest.of("orders").withReleaseAfterTransaction(true);

    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Shop.class, Listeners.class);

    private final LeasingLockRegistry registry = this.context.getBean(LeasingLockRegistry.class);

    private final TransactionTemplate transactions = this.context.getBean(TransactionTemplate.class);

    private final Listeners listeners = this.context.getBean(Listeners.class);

    @AfterEach
    void assertThatNothingIsHeld() {
        assertThat(this.registry.active()).as("locks after the transaction").isZero();
        this.context.close();
    }

    private void publish() {
        this.context.publishEvent("ordered");
    }

    private void lock() {
        this.registry.executeWithoutResult(BOUND, lease -> {});
    }

    private static void register(TransactionSynchronization synchronization) {
        TransactionSynchronizationManager.registerSynchronization(synchronization);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBeHeldWhileListenersRunAfterTheCommit(boolean lockFirst) {
        this.transactions.executeWithoutResult(status -> {
            if (lockFirst) {
                lock();
            }
            publish();
            if (!lockFirst) {
                lock();
            }
        });

        assertThat(this.listeners.heard).containsExactlyInAnyOrder("AFTER_COMMIT locked", "AFTER_COMPLETION locked");
    }

    @Test
    void shouldBeHeldWhileListenersRunAfterTheRollback() {
        this.transactions.executeWithoutResult(status -> {
            lock();
            publish();
            status.setRollbackOnly();
        });

        assertThat(this.listeners.heard).containsExactlyInAnyOrder("AFTER_ROLLBACK locked", "AFTER_COMPLETION locked");
    }

    /** A lease that belongs to no thread, too. */
    @Test
    void shouldHoldALeaseWhileListenersRun() {
        this.transactions.executeWithoutResult(status -> {
            try (Lease lease = this.registry.acquire(BOUND)) {
                assertThat(lease.isHeld()).isTrue();
            } catch (InterruptedException ex) {
                throw new AssertionError(ex);
            }
            publish();
        });

        assertThat(this.listeners.heard).contains("AFTER_COMMIT locked");
    }

    /** Listeners whose event is published while the transaction commits are registered after all others. */
    @ParameterizedTest
    @ValueSource(strings = {"beforeCommit", "beforeCompletion", "afterCommit"})
    void shouldBeHeldWhileListenersOfLateEventsRun(String moment) {
        this.transactions.executeWithoutResult(status -> {
            register(new LatePublisher(moment));
            lock();
            register(new LatePublisher(moment));
        });

        assertThat(this.listeners.heard).contains("AFTER_COMPLETION locked").noneMatch(text -> text.contains("free"));
    }

    @Test
    void shouldBeHeldAfterTheTransactionWasSuspended() {
        TransactionTemplate inner = new TransactionTemplate(this.transactions.getTransactionManager());
        inner.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);

        this.transactions.executeWithoutResult(status -> {
            lock();
            inner.executeWithoutResult(another -> publish());
            publish();
        });

        assertThat(this.listeners.heard).hasSize(4).allMatch(text -> text.endsWith("locked"));
    }

    private final class LatePublisher implements TransactionSynchronization {

        private final String moment;

        LatePublisher(String moment) {
            this.moment = moment;
        }

        private void at(String current) {
            if (current.equals(this.moment)) {
                publish();
            }
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            at("beforeCommit");
        }

        @Override
        public void beforeCompletion() {
            at("beforeCompletion");
        }

        @Override
        public void afterCommit() {
            at("afterCommit");
        }
    }

    static class Listeners {

        final List<String> heard = new ArrayList<>();

        private final LockRegistry registry;

        Listeners(LockRegistry registry) {
            this.registry = registry;
        }

        private void hear(TransactionPhase phase) {
            this.heard.add(phase + (this.registry.getLock("orders").isLocked() ? " locked" : " free"));
        }

        @TransactionalEventListener
        public void committed(String event) {
            hear(TransactionPhase.AFTER_COMMIT);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        public void rolledBack(String event) {
            hear(TransactionPhase.AFTER_ROLLBACK);
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION)
        public void completed(String event) {
            hear(TransactionPhase.AFTER_COMPLETION);
        }
    }
}
