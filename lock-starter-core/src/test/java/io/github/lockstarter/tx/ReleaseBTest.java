package io.github.lockstarter.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockNotGrantedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What the pages about migration say about {@code releaseAfterTransaction = false} in release B, which acquires the old lock
 * and inside it the new one, while instances of release C acquire the new one alone. Of the two transactions, one has
 * written 150 to an account of 100 and is not committed when the other begins its deposit of 50.
 */
class ReleaseBTest {

    @AutoClose
    private final AnnotationConfigApplicationContext context =
            new AnnotationConfigApplicationContext(Shop.class, Accounts.class);

    private final Accounts accounts = this.context.getBean(Accounts.class);

    private final JdbcTemplate jdbc = this.context.getBean(JdbcTemplate.class);

    private final TransactionTemplate transactions = this.context.getBean(TransactionTemplate.class);

    private final ReentrantLock old = new ReentrantLock();

    @BeforeEach
    void open() {
        this.jdbc.execute("set default_lock_timeout 30000");
        this.jdbc.execute("create table account (balance int)");
        this.jdbc.update("insert into account values (100)");
    }

    private int balance() {
        Integer balance = this.jdbc.queryForObject("select balance from account", Integer.class);
        return balance;
    }

    private int balanceForUpdate() {
        Integer balance = this.jdbc.queryForObject("select balance from account for update", Integer.class);
        return balance;
    }

    private void add50(int balance) {
        this.jdbc.update("update account set balance = ?", balance + 50);
    }

    /** The old aspect: it takes the old lock and opens the transaction. */
    private <T> T aspectWithTransaction(Supplier<T> call) {
        this.old.lock();
        try {
            return this.transactions.execute(status -> call.get());
        } finally {
            this.old.unlock();
        }
    }

    private void aspect(Runnable call) {
        this.old.lock();
        try {
            call.run();
        } finally {
            this.old.unlock();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    /** The new lock is free before the commit, so that release C reads 100. */
    @Test
    void shouldLoseAnUpdateIfTheOldAspectOpensTheTransaction() {
        CountDownLatch read = new CountDownLatch(1);

        CompletableFuture<Void> releaseC = aspectWithTransaction(() -> {
            this.accounts.releaseEarly(() -> add50(balance()));
            CompletableFuture<Void> other = CompletableFuture.runAsync(
                    () -> this.accounts.keep(() -> this.transactions.executeWithoutResult(status -> {
                        int balance = balance();
                        read.countDown();
                        add50(balance);
                    })));
            await(read);
            return other;
        });

        releaseC.orTimeout(30, TimeUnit.SECONDS).join();
        assertThat(balance()).as("of 200").isEqualTo(150);
    }

    @Test
    void shouldLoseNothingIfTheOldAspectOpensTheTransactionAndTheAttributeIsLeftAsItIs() {
        CompletableFuture<Void> releaseC = aspectWithTransaction(() -> {
            this.accounts.keep(() -> add50(balance()));
            assertThatThrownBy(() -> CompletableFuture.runAsync(() -> this.accounts.tryOnce(() -> {}))
                            .join())
                    .as("held until the commit")
                    .hasCauseInstanceOf(LockNotGrantedException.class);
            return CompletableFuture.runAsync(
                    () -> this.accounts.keep(() -> this.transactions.executeWithoutResult(status -> add50(balance()))));
        });

        releaseC.orTimeout(30, TimeUnit.SECONDS).join();
        assertThat(balance()).isEqualTo(200);
    }

    /**
     * The transaction keeps the new lock when the old one is released, so that the next owner of the old lock waits for
     * it, while the transaction waits for the old lock at its next call.
     */
    @Test
    void shouldWaitForEachOtherIfTheTransactionIsOutsideAndTheAttributeIsLeftAsItIs() {
        this.transactions.executeWithoutResult(status -> {
            aspect(() -> this.accounts.keep(() -> {}));
            assertThatThrownBy(() -> CompletableFuture.runAsync(() -> aspect(() -> this.accounts.tryOnce(() -> {})))
                            .join())
                    .hasCauseInstanceOf(LockNotGrantedException.class);
        });
    }

    /**
     * The old lock is free before the commit as well: an application that loses nothing in release A reads under a lock of the
     * row, and so loses nothing in release B.
     */
    @Test
    void shouldLoseNothingIfTheTransactionIsOutsideOfTheOldLock() {
        CountDownLatch granted = new CountDownLatch(1);

        CompletableFuture<Void> others = this.transactions.execute(status -> {
            aspect(() -> this.accounts.releaseEarly(() -> add50(balanceForUpdate())));
            CompletableFuture<Void> releaseB = CompletableFuture.runAsync(() ->
                    this.transactions.executeWithoutResult(inner -> aspect(() -> this.accounts.releaseEarly(() -> {
                        granted.countDown();
                        add50(balanceForUpdate());
                    }))));
            await(granted);
            return releaseB;
        });

        others.orTimeout(30, TimeUnit.SECONDS).join();
        CompletableFuture.runAsync(() -> this.accounts.keep(
                        () -> this.transactions.executeWithoutResult(status -> add50(balanceForUpdate()))))
                .orTimeout(30, TimeUnit.SECONDS)
                .join();
        assertThat(balance()).isEqualTo(250);
    }

    static class Accounts {

        @DistributedLock(name = "account")
        public void keep(Runnable work) {
            work.run();
        }

        @DistributedLock(name = "account", releaseAfterTransaction = false)
        public void releaseEarly(Runnable work) {
            work.run();
        }

        @DistributedLock(name = "account", waitTime = 0)
        public void tryOnce(Runnable work) {
            work.run();
        }
    }
}
