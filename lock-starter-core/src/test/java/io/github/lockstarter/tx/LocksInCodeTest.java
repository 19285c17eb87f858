package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** A lock that is requested in code inside a transaction is held until the transaction has completed, on request. */
class LocksInCodeTest {

    private static final LockRequest BOUND = LockRequest.of("orders").withReleaseAfterTransaction(true);

    @AutoClose
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Shop.class);

    private final JdbcTemplate jdbc = this.context.getBean(JdbcTemplate.class);

    private final LockRegistry registry = this.context.getBean(LockRegistry.class);

    private final TransactionTemplate transactions = this.context.getBean(TransactionTemplate.class);

    private boolean isLocked(String name) {
        return this.registry.getLock(name).isLocked();
    }

    private Lease acquire(LockRequest request) {
        try {
            return this.registry.acquire(request);
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    @Test
    void shouldHoldTheLockOfABodyUntilTheCommit() {
        Lease used = this.transactions.execute(status -> {
            Lease lease = this.registry.execute(BOUND, held -> held);
            assertThat(lease.isHeld()).isTrue();
            assertThat(isLocked("orders")).isTrue();
            return lease;
        });

        assertThat(used.isHeld()).isFalse();
        assertThat(isLocked("orders")).isFalse();
        assertThat(this.registry.getLock("orders").getHoldCount()).isZero();
    }

    @Test
    void shouldHoldSeveralLocksUntilTheCommit() {
        List<LockRequest> requests = List.of(BOUND, LockRequest.of("stock"));

        this.transactions.executeWithoutResult(status -> {
            this.registry.executeWithoutResult(requests, lease -> {});
            assertThat(isLocked("orders")).isTrue();
            assertThat(isLocked("stock")).as("has not requested it").isFalse();
        });

        assertThat(isLocked("orders")).isFalse();
    }

    @Test
    void shouldHoldALeaseThatIsClosedUntilTheCommit() {
        Lease used = this.transactions.execute(status -> {
            Lease closed;
            try (Lease lease = acquire(BOUND)) {
                closed = lease;
            }
            assertThat(closed.isHeld()).isTrue();
            assertThat(closed.state()).isEqualTo(Lease.State.HELD);
            assertThat(closed.release()).as("its work is done, and it is held").isTrue();
            assertThat(isLocked("orders")).isTrue();
            return closed;
        });

        assertThat(used.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(isLocked("orders")).isFalse();
    }

    @Test
    void shouldCompleteAReleaseWhenTheTransactionHas() {
        CompletionStage<Boolean> released = this.transactions.execute(status -> {
            CompletionStage<Boolean> promise = acquire(BOUND).releaseAsync();
            assertThat(promise.toCompletableFuture()).isNotDone();
            return promise;
        });

        assertThat(released.toCompletableFuture())
                .succeedsWithin(10, TimeUnit.SECONDS)
                .isEqualTo(true);
    }

    @Test
    void shouldKeepALockForItsDelayAfterTheTransaction() {
        this.transactions.executeWithoutResult(status -> {
            Lease lease = acquire(BOUND);
            assertThat(lease.releaseAfter(Duration.ofMinutes(1))).isTrue();
            lease.close();
        });

        assertThat(isLocked("orders")).as("without an owner").isTrue();
        this.registry.getLock("orders").forceUnlock();
    }

    @Test
    void shouldReleaseAtOnceUnlessRequested() {
        this.transactions.executeWithoutResult(status -> {
            this.registry.executeWithoutResult(LockRequest.of("orders"), lease -> {});
            assertThat(isLocked("orders")).isFalse();
            acquire(LockRequest.of("orders").withReleaseAfterTransaction(false)).close();
            assertThat(isLocked("orders")).isFalse();
        });
    }

    @Test
    void shouldRejectTheCommitAfterALoss() {
        assertThatThrownBy(() -> this.transactions.executeWithoutResult(status -> {
                    Shop.insert(this.jdbc);
                    loseAfter(this.registry.execute(BOUND, lease -> lease));
                }))
                .isInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> this.transactions.executeWithoutResult(status -> {
                    Shop.insert(this.jdbc);
                    try (Lease lease = acquire(BOUND)) {
                        loseAfter(lease);
                    }
                }))
                .isInstanceOf(LockLostException.class);

        assertThat(Shop.orders(this.jdbc)).isZero();
    }

    private void loseAfter(Lease lease) {
        this.registry.getLock("orders").forceUnlock();
        lease.lost().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
