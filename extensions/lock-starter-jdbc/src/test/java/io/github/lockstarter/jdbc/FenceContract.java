package io.github.lockstarter.jdbc;

import static io.github.lockstarter.jdbc.FencedApplication.ORDER;
import static io.github.lockstarter.jdbc.FencedApplication.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.jdbc.FenceTable.Outcome;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What holds in each database. */
@Timeout(120)
abstract class FenceContract {

    private static final int HISTORIES = 100;

    private static final byte[] PREFIX = "shop:{".getBytes(StandardCharsets.UTF_8);

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    private FencedApplication application;

    abstract DataSource database() throws Exception;

    /** Returns the database with connections whose time-out for locks is three seconds. */
    abstract DataSource databaseWithLockTimeout() throws Exception;

    /** Returns the query for the time-out for locks, in seconds. */
    abstract String lockTimeout();

    @BeforeEach
    void start() throws Exception {
        this.application = new FencedApplication(database());
    }

    @AfterEach
    void stop() {
        this.application.close();
        this.threads.shutdown();
    }

    private void assertThatNothingIsLeft() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(this.application.pool.getHikariPoolMXBean().getActiveConnections())
                .isZero();
    }

    // ---- Begin

    @Test
    void shouldRaiseTheTokenAtTheBegin() {
        try (FencedApplication other = beginning()) {
            long token = other.locks.execute(ORDER, lease -> {
                assertThat(other.stored()).isZero();
                other.transaction().executeWithoutResult(status -> {
                    Long inside = other.jdbc.queryForObject(
                            "SELECT token FROM distributed_lock_fence WHERE name = ?", Long.class, key());
                    assertThat(inside).isEqualTo(lease.fencingToken());
                });
                return lease.fencingToken();
            });
            assertThat(other.stored()).isEqualTo(token);
        }
    }

    /** Raises tokens at the begin of transactions only. */
    private FencedApplication beginning() {
        try {
            return new FencedApplication(database(), false, Duration.ofSeconds(10));
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** A deletion by hand, for example. Nothing has been done in the transaction so far. */
    @Test
    void shouldRaiseTheTokenAgainAtTheBeginIfItsRowIsGone() {
        this.application.locks.execute(ORDER, lease -> {
            this.application.others.update("DELETE FROM distributed_lock_fence");

            this.application.transaction().executeWithoutResult(status -> {});

            assertThat(this.application.stored())
                    .as("token in the row after a transaction that has begun without the row")
                    .isEqualTo(lease.fencingToken());
            return null;
        });
        assertThatNothingIsLeft();
    }

    @Test
    void shouldAcceptSeveralTransactionsOfOneLease() {
        this.application.locks.execute(ORDER, lease -> {
            this.application.transaction().executeWithoutResult(status -> {});
            this.application.transaction().executeWithoutResult(status -> {});
            return null;
        });
        assertThatNothingIsLeft();
    }

    @Test
    void shouldRollBackALateOwnerBeforeItsBody() {
        AtomicBoolean hasRun = new AtomicBoolean();
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        lock.lock();
        Lease lease = lock.currentLease();
        this.application.letTheNextOwnerCommit(lease.fencingToken() + 1);

        assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(status -> hasRun.set(true)))
                .isInstanceOfSatisfying(
                        LockLostException.class,
                        loss -> assertThat(loss.reason()).isEqualTo(LossReason.TAKEN_OVER));

        assertThat(hasRun).isFalse();
        assertThat(lease.state()).isEqualTo(Lease.State.LOST);
        assertThat(lease.lost().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(5));
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThatNothingIsLeft();
        assertThat(CompletableFuture.supplyAsync(() -> isFree(lock), this.threads))
                .as("free for the next owner")
                .succeedsWithin(Duration.ofSeconds(5))
                .isEqualTo(true);
        this.application.transaction().executeWithoutResult(status -> hasRun.set(true));
        assertThat(hasRun).isTrue();
        assertThat(this.application.stored()).isGreaterThan(lease.fencingToken());
    }

    private static boolean isFree(LeaseLock lock) {
        boolean isFree = lock.tryLock();
        if (isFree) {
            lock.unlock();
        }
        return isFree;
    }

    /** The manager would resume the outer transaction twice if the begin of the inner one failed. */
    @Test
    void shouldRefuseTheCommitOfALateOwnerBehindASuspendedTransaction() {
        this.application.jdbc.execute("DROP TABLE IF EXISTS late_write");
        this.application.jdbc.execute("CREATE TABLE late_write (id INT)");
        TransactionTemplate outer = this.application.transaction();
        outer.setReadOnly(true);
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        lock.lock();
        long token = lock.currentLease().fencingToken();
        outer.executeWithoutResult(status -> {
            this.application.letTheNextOwnerCommit(token + 1);
            assertThatThrownBy(() -> this.application.newTransaction().executeWithoutResult(inner -> {
                        // The row is not locked.
                        this.application.letTheNextOwnerCommit(token + 2);
                        this.application.jdbc.update("INSERT INTO late_write (id) VALUES (1)");
                    }))
                    .isInstanceOf(LockLostException.class);
            assertThat(this.application.refusal()).isEqualTo(FenceOutcome.REFUSED);
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .as("the outer one goes on")
                    .isTrue();
        });
        assertThat(this.application.others.queryForObject("SELECT COUNT(*) FROM late_write", Integer.class))
                .isZero();
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThatNothingIsLeft();
    }

    /** Without shared locks of rows, it would wait for the suspended one. */
    @Test
    void shouldLockTheRowInANewTransaction() {
        this.application.locks.execute(ORDER, lease -> {
            this.application.transaction().executeWithoutResult(outer -> {
                if (this.application.table.sharesRows()) {
                    this.application
                            .newTransaction()
                            .executeWithoutResult(
                                    inner -> this.application.jdbc.queryForObject("SELECT 1", Integer.class));
                } else {
                    assertThatThrownBy(() -> this.application.newTransaction().executeWithoutResult(inner -> {}))
                            .isInstanceOf(FenceException.class);
                }
            });
            return null;
        });
        assertThatNothingIsLeft();
    }

    /** The next owner must wait for the inner transaction, although the outer one has ended with its session. */
    void lockTheRowInANewTransactionWhoseOuterSessionIsKilled(String session, String kill) throws Exception {
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        lock.lock();
        long token = lock.currentLease().fencingToken();
        assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(outer -> {
                    Long id = this.application.jdbc.queryForObject(session, Long.class);
                    this.application.newTransaction().executeWithoutResult(inner -> {
                        this.application.others.execute(kill.formatted(id));
                        assertThat(raisesNow(token + 1)).as("inner is open").isFalse();
                    });
                    assertThat(raisesNow(token + 1)).as("inner has ended").isTrue();
                }))
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(status -> {}))
                .isInstanceOf(TransactionRefusedException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    }

    private boolean raisesNow(long token) {
        try (Connection next = database().getConnection()) {
            return this.application.table.raise(next, key(), token, Duration.ofMillis(500)) == Outcome.ACCEPTED;
        } catch (SQLException ex) {
            assertThat(FenceTable.isTimeout(ex)).as(ex.toString()).isTrue();
            return false;
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void shouldKeepTheTokenIfATransactionIsRolledBack() {
        long token = this.application.locks.execute(ORDER, lease -> {
            this.application.transaction().executeWithoutResult(TransactionStatus::setRollbackOnly);
            return lease.fencingToken();
        });
        assertThat(this.application.stored()).isEqualTo(token);
    }

    /** Its rollback would let a late owner change what the inner transaction has committed. */
    @Test
    void shouldRefuseANewTransactionInsideOfOneThatHasRaisedTheToken() {
        try (FencedApplication other = beginning()) {
            other.locks.execute(ORDER, lease -> {
                other.transaction().executeWithoutResult(outer -> {
                    assertThatThrownBy(() -> other.newTransaction().executeWithoutResult(inner -> {}))
                            .isInstanceOf(FenceException.class)
                            .hasMessageContaining("at-grant");
                    other.jdbc.queryForObject("SELECT 1", Integer.class);
                });
                // Its token is stored from now on.
                other.transaction().executeWithoutResult(outer -> {});
                return null;
            });
            assertThatNothingIsLeft();
        }
    }

    @Test
    void shouldRefuseALockThatIsGrantedAgainInsideOfATransactionThatHasLockedItsRow() {
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        this.application.transaction().executeWithoutResult(outer -> {
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
            this.application
                    .newTransaction()
                    .executeWithoutResult(
                            inner -> assertThatThrownBy(lock::lock).isInstanceOf(FenceException.class));
        });
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThatNothingIsLeft();
    }

    /** A savepoint that was set after the row was locked. */
    @Test
    void shouldCommitAfterARollbackToASavepoint() {
        TransactionTemplate nested = this.application.transaction();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        long token = this.application.locks.execute(ORDER, lease -> {
            this.application.transaction().executeWithoutResult(outer -> {
                nested.executeWithoutResult(TransactionStatus::setRollbackOnly);
                if (this.application.table.sharesRows()) {
                    this.application
                            .newTransaction()
                            .executeWithoutResult(
                                    inner -> nested.executeWithoutResult(TransactionStatus::setRollbackOnly));
                }
            });
            return lease.fencingToken();
        });
        assertThat(this.application.stored()).isEqualTo(token);
        assertThatNothingIsLeft();
    }

    /** The transaction around it has ended, and its rows are not locked any more. */
    @Test
    void shouldFenceATransactionThatBeginsAfterACommit() {
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        lock.lock();
        long token = lock.currentLease().fencingToken();
        this.application
                .transaction()
                .executeWithoutResult(status -> onCommit(() -> {
                    this.application.letTheNextOwnerCommit(token + 1);
                    assertThatThrownBy(() -> this.application.newTransaction().executeWithoutResult(inner -> {}))
                            .isInstanceOf(LockLostException.class);
                }));
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThatNothingIsLeft();
    }

    private static void onCommit(Runnable callback) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

            @Override
            public void afterCommit() {
                callback.run();
            }
        });
    }

    /** No listener is notified of the end of such a transaction. */
    @Test
    void shouldFenceTheTransactionAfterOneWhoseCommitHasFailed() {
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        lock.lock();
        assertThatThrownBy(() -> this.application
                        .transaction()
                        .executeWithoutResult(status -> beforeCommit(() -> {
                            throw new CannotCreateTransactionException("of an inner one");
                        })))
                .isInstanceOf(CannotCreateTransactionException.class);
        this.application.letTheNextOwnerCommit(lock.currentLease().fencingToken() + 1);
        assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(status -> {}))
                .isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThatNothingIsLeft();
    }

    private static void beforeCommit(Runnable callback) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

            @Override
            public void beforeCommit(boolean readOnly) {
                callback.run();
            }
        });
    }

    @Test
    void shouldFenceATransactionInsideAScopeWithoutOne() {
        try (FencedApplication other = beginning()) {
            TransactionTemplate scope = other.transaction();
            scope.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
            other.transaction()
                    .executeWithoutResult(outer -> scope.executeWithoutResult(none -> {
                        // Binds a connection.
                        other.jdbc.queryForObject("SELECT 1", Integer.class);
                        long token = other.locks.execute(ORDER, lease -> {
                            assertThat(other.stored()).isZero();
                            other.transaction().executeWithoutResult(inner -> {});
                            return lease.fencingToken();
                        });
                        assertThat(other.stored()).isEqualTo(token);
                    }));
        }
        assertThatNothingIsLeft();
    }

    @Test
    void shouldRaiseTheTokenOfEachGrantInOneTransaction() {
        long last = Objects.requireNonNull(this.application.transaction().execute(status -> {
            this.application.locks.execute(ORDER, lease -> lease.fencingToken());
            return this.application.locks.execute(ORDER, lease -> lease.fencingToken());
        }));
        assertThat(this.application.stored()).isEqualTo(last);
    }

    /** A former owner may have committed between the rollback to the savepoint and a second raise. */
    @Test
    void shouldRefuseTheCommitIfASavepointHasTakenTheTokenBack() {
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(status -> {
                    Object savepoint = status.createSavepoint();
                    lock.lock();
                    status.rollbackToSavepoint(savepoint);
                }))
                .isInstanceOf(FenceException.class);
        assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(status -> {}))
                .as("the next transaction under this grant")
                .isInstanceOf(FenceException.class);
        lock.unlock();
        assertThat(this.application.stored()).isZero();
        this.application.locks.execute(
                ORDER, lease -> this.application.transaction().execute(status -> lease.fencingToken()));
        assertThatNothingIsLeft();
    }

    @Test
    void shouldRefuseTheCommitIfANestedTransactionHasTakenTheTokenBack() {
        TransactionTemplate nested = this.application.transaction();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        assertThatThrownBy(() -> this.application
                        .transaction()
                        .executeWithoutResult(status -> nested.executeWithoutResult(inner -> {
                            lock.lock();
                            inner.setRollbackOnly();
                        })))
                .isInstanceOf(FenceException.class);
        lock.unlock();
        assertThatNothingIsLeft();
    }

    /** The outer transaction goes on under the lock. */
    @Test
    void shouldLockTheRowOfALockThatWasGrantedWhileTheTransactionWasSuspended() {
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        TransactionTemplate none = this.application.transaction();
        none.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
        for (TransactionTemplate inner : List.of(this.application.newTransaction(), none)) {
            this.application.transaction().executeWithoutResult(outer -> {
                inner.executeWithoutResult(status -> lock.lock());
                assertThat(raisesNow(lock.currentLease().fencingToken() + 1)).isFalse();
            });
            lock.unlock();
        }
        assertThatNothingIsLeft();
    }

    /** Nothing has raised it before, if that is not done at the grant. */
    @Test
    void shouldRaiseTheTokenOfALockThatWasGrantedWhileTheTransactionWasSuspended() {
        try (FencedApplication other = beginning()) {
            LeaseLock lock = other.locks.getLock(ORDER.lockName());
            TransactionTemplate none = other.transaction();
            none.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);

            other.transaction().executeWithoutResult(outer -> none.executeWithoutResult(status -> lock.lock()));

            assertThat(other.stored())
                    .as("token in the row after the commit of the transaction that was suspended")
                    .isEqualTo(lock.currentLease().fencingToken());
            lock.unlock();
        }
        assertThatNothingIsLeft();
    }

    @Test
    void shouldRefuseALockWhoseFormerTokenWasTakenBack() {
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(status -> {
                    Object savepoint = status.createSavepoint();
                    assertThat(lock.tryLock()).isTrue();
                    lock.unlock();
                    status.rollbackToSavepoint(savepoint);
                    assertThatThrownBy(lock::lock).isInstanceOf(FenceException.class);
                }))
                .isInstanceOf(FenceException.class);
        assertThatNothingIsLeft();
    }

    @Test
    void shouldLockTheRowsOfSeveralLocks() {
        List<LockRequest> several = List.of(LockRequest.of("b"), ORDER, LockRequest.of("a"));
        assertThatThrownBy(() -> this.application.locks.execute(several, leases -> {
                    this.application.transaction().executeWithoutResult(status -> {});
                    this.application.letTheNextOwnerCommit(System.currentTimeMillis() * 1000 + 1_000_000);
                    return this.application.transaction().execute(status -> true);
                }))
                .isInstanceOfSatisfying(
                        TransactionRefusedException.class,
                        refused -> assertThat(refused.lockName()).isEqualTo(ORDER.lockName()));
        assertThatNothingIsLeft();
    }

    /** Tokens of one server say nothing about those of another. */
    @Test
    void shouldNameTwoServersWithOneTableAsACause() {
        this.application.letTheNextOwnerCommit(Long.MAX_VALUE / 2);

        assertThatThrownBy(() -> this.application.locks.execute(ORDER, lease -> null))
                .isInstanceOf(TransactionRefusedException.class)
                .hasMessageContainingAll("different Redis servers", "distributed-lock.jdbc.fence.table-name");
    }

    // ---- Statements and callbacks of the body

    /** DDL commits the transaction in some databases, so that the rest of it has locked nothing. */
    void refuseTheRestOfATransactionThatAStatementHasCommitted() {
        createLateWrites();
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        lock.lock();
        long token = lock.currentLease().fencingToken();
        assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(status -> {
                    this.application.jdbc.execute("CREATE TABLE IF NOT EXISTS nothing (id INT)");
                    this.application.jdbc.execute("TRUNCATE TABLE nothing");
                    this.application.letTheNextOwnerCommit(token + 1);
                    this.application.jdbc.update("INSERT INTO late_write (id) VALUES (1)");
                }))
                .isInstanceOf(TransactionRefusedException.class);
        assertThat(lateWrites()).isZero();
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThatNothingIsLeft();
    }

    /** As they wait for each other, one of them must fail, and only one. */
    @Test
    void shouldCommitOneOfTwoTransactionsThatLockTwoRowsInOppositeOrder() throws Exception {
        // H2 notices a deadlock of rows that are present.
        for (String name : List.of("order:1", "order:2")) {
            this.application.locks.executeWithoutResult(LockRequest.of(name), lease -> {});
        }
        CyclicBarrier bothHaveLockedOne = new CyclicBarrier(2);
        List<Future<?>> transactions = new ArrayList<>();
        for (List<String> order : List.of(List.of("order:1", "order:2"), List.of("order:2", "order:1"))) {
            transactions.add(this.threads.submit(() -> {
                this.application.transaction().executeWithoutResult(status -> {
                    this.application.locks.executeWithoutResult(LockRequest.of(order.get(0)), lease -> {});
                    try {
                        bothHaveLockedOne.await(10, TimeUnit.SECONDS);
                    } catch (Exception ex) {
                        throw new IllegalStateException(ex);
                    }
                    this.application.locks.executeWithoutResult(LockRequest.of(order.get(1)), lease -> {});
                });
            }));
        }
        List<Throwable> failures = new ArrayList<>();
        for (Future<?> transaction : transactions) {
            try {
                transaction.get(20, TimeUnit.SECONDS);
            } catch (ExecutionException ex) {
                failures.add(ex.getCause());
            }
        }
        assertThat(failures).singleElement().isInstanceOf(CannotAcquireLockException.class);
    }

    static List<RuntimeException> exceptionsAfterWhichSpringDoesNotRollBack() {
        return List.of(
                new CannotCreateTransactionException("of an inner one"),
                new UnexpectedRollbackException("of an inner one"));
    }

    /** Spring does not roll back then, and restores auto-commit, which commits. */
    @ParameterizedTest
    @MethodSource("exceptionsAfterWhichSpringDoesNotRollBack")
    void shouldNotCommitATransactionWhoseCallbackThrows(RuntimeException failure) {
        createLateWrites();
        this.application.locks.execute(ORDER, lease -> {
            assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(status -> {
                        this.application.jdbc.update("INSERT INTO late_write (id) VALUES (1)");
                        beforeCommit(() -> {
                            throw failure;
                        });
                    }))
                    .isSameAs(failure);
            return null;
        });
        assertThat(lateWrites()).isZero();
        assertThatNothingIsLeft();
    }

    @Test
    void shouldNotCommitWhatTheBodyWritesAfterARefusal() {
        createLateWrites();
        this.application.letTheNextOwnerCommit(Long.MAX_VALUE / 2);
        assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(status -> {
                    assertThatThrownBy(() -> this.application.locks.execute(ORDER, lease -> null))
                            .isInstanceOf(TransactionRefusedException.class);
                    this.application.jdbc.update("INSERT INTO late_write (id) VALUES (1)");
                    beforeCommit(() -> {
                        throw new CannotCreateTransactionException("of an inner one");
                    });
                }))
                .isInstanceOf(TransactionRefusedException.class);
        assertThat(lateWrites()).isZero();
        assertThatNothingIsLeft();
    }

    private void createLateWrites() {
        this.application.jdbc.execute("DROP TABLE IF EXISTS late_write");
        this.application.jdbc.execute("CREATE TABLE late_write (id INT)");
    }

    private Integer lateWrites() {
        return this.application.others.queryForObject("SELECT COUNT(*) FROM late_write", Integer.class);
    }

    // ---- Locks that are left to their leases

    @Test
    void shouldFenceALateOwnerOfALockWithALeaseOfItsOwn() {
        LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
        acquireWithAShortLease(lock);
        this.application.letTheNextOwnerCommit(lock.currentLease().fencingToken() + 1);
        assertThatThrownBy(() -> this.application.transaction().executeWithoutResult(status -> {}))
                .isInstanceOf(TransactionRefusedException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
    }

    /** As applications do with helpers of their own. */
    private static void acquireWithAShortLease(LeaseLock lock) {
        lock.lock(Duration.ofMillis(20));
        assertThat(lock.currentLease().lost().toCompletableFuture())
                .succeedsWithin(Duration.ofSeconds(5))
                .isEqualTo(LossReason.EXPIRED);
    }

    @Test
    void shouldNotRefuseTransactionsOfAThreadThatHasForgottenToUnlock() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            LeaseLock lock = this.application.locks.getLock(ORDER.lockName());
            long token = pool.submit(() -> {
                        acquireWithAShortLease(lock);
                        return lock.currentLease().fencingToken();
                    })
                    .get(10, TimeUnit.SECONDS);
            this.application.letTheNextOwnerCommit(token + 1);
            assertThat(pool.submit(() -> this.application.transaction().execute(status -> true)))
                    .succeedsWithin(Duration.ofSeconds(10))
                    .isEqualTo(true);
        } finally {
            pool.shutdown();
        }
    }

    @Test
    void shouldNotFenceReadOnlyTransactions() {
        try (FencedApplication other = beginning()) {
            TransactionTemplate readOnly = other.transaction();
            readOnly.setReadOnly(true);
            other.locks.execute(ORDER, lease -> {
                readOnly.executeWithoutResult(status -> other.jdbc.queryForObject("SELECT 1", Integer.class));
                return null;
            });
            assertThat(other.stored()).isZero();
        }
    }

    @Test
    void shouldNotFenceReaders() {
        LeaseLock reader =
                this.application.locks.getReadWriteLock(ORDER.lockName()).readLock();
        reader.lock();
        try {
            this.application.transaction().executeWithoutResult(status -> {});
        } finally {
            reader.unlock();
        }
        assertThat(this.application.stored()).isZero();
    }

    // ---- Grant

    @Test
    void shouldRaiseTheTokenAtTheGrant() {
        long token = this.application.locks.execute(ORDER, lease -> {
            assertThat(this.application.stored()).isEqualTo(lease.fencingToken());
            return lease.fencingToken();
        });
        assertThat(this.application.stored()).isEqualTo(token);
        assertThatNothingIsLeft();
    }

    @Test
    void shouldReleaseALockThatIsRefusedAtTheGrant() {
        this.application.letTheNextOwnerCommit(Long.MAX_VALUE / 2);
        AtomicBoolean hasRun = new AtomicBoolean();

        assertThatThrownBy(() -> this.application.locks.execute(ORDER, lease -> {
                    hasRun.set(true);
                    return null;
                }))
                .isInstanceOf(LockLostException.class);

        assertThat(hasRun).isFalse();
        assertThat(this.application.refusal()).isEqualTo(FenceOutcome.REFUSED);
        assertThat(this.application.locks.getLock(ORDER.lockName()).isHeldByCurrentThread())
                .isFalse();
        assertThat(this.application.locks.held()).isEmpty();
        this.application.others.update("DELETE FROM distributed_lock_fence");
        this.application.locks.execute(ORDER, lease -> {
            hasRun.set(true);
            return null;
        });
        assertThat(hasRun).as("the thread can lock again").isTrue();
        assertThatNothingIsLeft();
    }

    @Test
    void shouldRaiseTheTokenInTheRunningTransaction() {
        long token = this.application
                .transaction()
                .execute(status -> this.application.locks.execute(ORDER, lease -> {
                    assertThat(this.application.stored()).as("not committed").isZero();
                    return lease.fencingToken();
                }));
        assertThat(this.application.stored()).isEqualTo(token);
        assertThatNothingIsLeft();
    }

    @Test
    void shouldRefuseTheCommitOfTheTransactionInWhichALockIsRefused() {
        this.application.letTheNextOwnerCommit(Long.MAX_VALUE / 2);
        assertThatThrownBy(() -> this.application
                        .transaction()
                        .executeWithoutResult(
                                status -> assertThatThrownBy(() -> this.application.locks.execute(ORDER, lease -> null))
                                        .isInstanceOf(TransactionRefusedException.class)))
                .isInstanceOf(TransactionRefusedException.class);
        assertThat(this.application.refusal()).isEqualTo(FenceOutcome.REFUSED);
        assertThatNothingIsLeft();
    }

    // ---- Waits

    @Test
    void shouldLeaveTheLockTimeoutAsItWas() throws Exception {
        try (FencedApplication other = new FencedApplication(databaseWithLockTimeout(), true, Duration.ofSeconds(7))) {
            assertThat(other.jdbc.queryForObject(lockTimeout(), Long.class))
                    .as("after the check at the start")
                    .isEqualTo(3);
            other.locks.execute(ORDER, lease -> {
                assertThat(other.jdbc.queryForObject(lockTimeout(), Long.class))
                        .as("after the grant")
                        .isEqualTo(3);
                return other.transaction()
                        .execute(status -> assertThat(other.jdbc.queryForObject(lockTimeout(), Long.class))
                                .isEqualTo(3));
            });
            assertThat(other.jdbc.queryForObject(lockTimeout(), Long.class))
                    .as("after the commit")
                    .isEqualTo(3);
        }
    }

    @Test
    void shouldNotCommitIfAnotherTransactionHasTheRow() throws Exception {
        try (FencedApplication impatient = new FencedApplication(database(), false, Duration.ofSeconds(1))) {
            impatient.locks.execute(ORDER, lease -> {
                try (Connection other = database().getConnection()) {
                    other.setAutoCommit(false);
                    Outcome raised = impatient.table.raise(other, key(), lease.fencingToken() - 1, LIMIT);
                    assertThat(raised).isEqualTo(Outcome.ACCEPTED);
                    assertThatThrownBy(() -> impatient.transaction().executeWithoutResult(status -> {}))
                            .isInstanceOfSatisfying(
                                    FenceException.class,
                                    failure ->
                                            assertThat(failure.fencingToken()).isEqualTo(lease.fencingToken()));
                    other.rollback();
                } catch (Exception ex) {
                    throw new IllegalStateException(ex);
                }
                assertThat(lease.isHeld()).as("no loss").isTrue();
                assertThat(impatient.refusal()).isEqualTo(FenceOutcome.UNKNOWN);
                impatient.transaction().executeWithoutResult(status -> {});
                return null;
            });
            assertThat(impatient.pool.getHikariPoolMXBean().getActiveConnections())
                    .isZero();
        }
    }

    /** The raise at the grant waits for the late owner, so that the transaction has no conflict with it. */
    @Test
    void shouldLetTheRightfulOwnerBeginAfterALateOneInASnapshotDatabase() throws Exception {
        createStock();
        try (FencedApplication next = new FencedApplication(database());
                Connection late = database().getConnection()) {
            CompletableFuture<Integer> read = readBehind(late, next);
            commitAChange(late);
            assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo(110);
        }
    }

    /** To repeat it would undo what others have set on the connection. */
    void failABeginThatMeetsAConflict() throws Exception {
        createStock();
        try (FencedApplication next = beginning();
                Connection late = database().getConnection()) {
            CompletableFuture<Integer> read = readBehind(late, next);
            commitAChange(late);
            assertThatThrownBy(() -> read.get(10, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(CannotAcquireLockException.class);
        }
    }

    private void createStock() {
        this.application.jdbc.execute("DROP TABLE IF EXISTS stock");
        this.application.jdbc.execute("CREATE TABLE stock (amount INT)");
        this.application.jdbc.update("INSERT INTO stock (amount) VALUES (100)");
    }

    /** Returns what the next owner reads, when the transaction of the late one has ended. */
    private CompletableFuture<Integer> readBehind(Connection late, FencedApplication next) throws Exception {
        late.setAutoCommit(false);
        long lateToken = System.currentTimeMillis() * 1000 - 1_000_000;
        assertThat(this.application.table.raise(late, key(), lateToken, LIMIT)).isEqualTo(Outcome.ACCEPTED);
        CompletableFuture<Integer> read = CompletableFuture.supplyAsync(
                () -> next.locks.execute(
                        ORDER,
                        lease -> snapshotOf(next)
                                .execute(
                                        status -> next.jdbc.queryForObject("SELECT amount FROM stock", Integer.class))),
                this.threads);
        await().until(() -> next.pool.getHikariPoolMXBean().getActiveConnections() > 0);
        assertThatThrownBy(() -> read.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        return read;
    }

    private static void commitAChange(Connection connection) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE stock SET amount = amount + 10");
        }
        connection.commit();
    }

    /** Otherwise the call would take ten times as long as it may. */
    @Test
    void shouldNotWaitBeyondTheTimeoutOfTheTransaction() throws Exception {
        TransactionTemplate impatient = this.application.transaction();
        impatient.setTimeout(1);
        try (Connection other = database().getConnection()) {
            this.application.locks.execute(ORDER, lease -> {
                try {
                    other.setAutoCommit(false);
                    assertThat(this.application.table.raise(other, key(), lease.fencingToken(), LIMIT))
                            .isEqualTo(Outcome.ACCEPTED);
                    long start = System.nanoTime();
                    assertThatThrownBy(() -> impatient.executeWithoutResult(status -> {}))
                            .isInstanceOf(FenceException.class)
                            .hasMessageContaining("runbook");
                    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
                    other.rollback();
                } catch (SQLException ex) {
                    throw new IllegalStateException(ex);
                }
                return null;
            });
        }
    }

    private static TransactionTemplate snapshotOf(FencedApplication application) {
        TransactionTemplate snapshot = application.transaction();
        snapshot.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        return snapshot;
    }

    // ---- Histories

    /** A late owner and the next one read, pause and write; without the fence, updates are lost. */
    @Test
    void shouldLoseNoUpdateOfTwoOwners() throws Exception {
        createStock();
        assertThat(lostUpdates(false)).as("control").isPositive();
        assertThat(lostUpdates(true)).isZero();
    }

    private int lostUpdates(boolean isFenced) throws Exception {
        int lost = 0;
        Random random = new Random(1);
        for (int i = 0; i < HISTORIES; i++) {
            this.application.others.update("DELETE FROM stock");
            this.application.others.update("INSERT INTO stock (amount) VALUES (100)");
            long token = System.currentTimeMillis() * 1000;
            List<CompletableFuture<Boolean>> owners = new ArrayList<>();
            for (long each : List.of(token, token + 1)) {
                int before = random.nextInt(3);
                int between = random.nextInt(4);
                owners.add(CompletableFuture.supplyAsync(() -> buys(each, before, between, isFenced), this.threads));
            }
            int committed = 0;
            for (CompletableFuture<Boolean> owner : owners) {
                committed += owner.get(20, TimeUnit.SECONDS) ? 10 : 0;
            }
            Integer amount = this.application.others.queryForObject("SELECT amount FROM stock", Integer.class);
            lost += amount != null && amount == 100 + committed ? 0 : 1;
        }
        return lost;
    }

    /** Returns whether the transaction has committed. */
    private boolean buys(long token, int before, int between, boolean isFenced) {
        try (Connection connection = this.application.pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                pause(before);
                if (isFenced && !isRaised(connection, token)) {
                    connection.rollback();
                    return false;
                }
                try (var statement = connection.createStatement();
                        var row = statement.executeQuery("SELECT amount FROM stock")) {
                    assertThat(row.next()).isTrue();
                    int amount = row.getInt(1) + 10;
                    pause(between);
                    try (var update = connection.createStatement()) {
                        update.executeUpdate("UPDATE stock SET amount = " + amount);
                    }
                }
                connection.commit();
                return true;
            } catch (SQLException ex) {
                connection.rollback();
                return false;
            } finally {
                connection.setAutoCommit(true);
            }
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private boolean isRaised(Connection connection, long token) throws SQLException {
        while (true) {
            try {
                return this.application.table.raise(connection, key(), token, LIMIT) == Outcome.ACCEPTED;
            } catch (SQLException ex) {
                if (!FenceTable.isConflict(ex)) {
                    throw ex;
                }
                connection.rollback();
            }
        }
    }

    /** The pause is what is tested: any time is possible. */
    private static void pause(int millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    // ---- Age

    @Test
    void shouldDeleteOwnRowsThatWereNotRaisedForTwiceTheRetention() throws SQLException {
        insert("shop:{young}", 59);
        insert("shop:{old}", 61);
        insert("shop:eu:{old}", 61);
        insert("books:{old}", 61);
        assertThat(this.application.table.deleteOld(PREFIX, () -> true)).isEqualTo(1);
        assertThat(this.application.others.queryForList("SELECT name FROM distributed_lock_fence", byte[].class))
                .extracting(name -> new String(name, StandardCharsets.UTF_8))
                .containsExactlyInAnyOrder("shop:{young}", "shop:eu:{old}", "books:{old}");
    }

    private void insert(String name, int days) {
        this.application.others.update(
                "INSERT INTO distributed_lock_fence (name, token, raised_at) VALUES (?, ?, ?)",
                name.getBytes(StandardCharsets.UTF_8),
                1,
                System.currentTimeMillis() * 1000 - Duration.ofDays(days).toNanos() / 1000);
    }

    @Test
    void shouldDeleteInBatches() throws SQLException {
        for (int i = 0; i < 1_100; i++) {
            insert("shop:{" + i + '}', i % 2 == 0 ? 61 : 59);
        }
        assertThat(this.application.table.deleteOld(PREFIX, () -> false)).isEqualTo(250);
        assertThat(this.application.table.deleteOld(PREFIX, () -> true)).isEqualTo(300);
    }

    @Test
    void shouldCleanUpInOneInstanceAtATime() throws Exception {
        this.application.letTheNextOwnerCommit(1);
        this.application.others.update("UPDATE distributed_lock_fence SET raised_at = 1");
        FenceCleanUp cleanUp = this.application.cleanUp();
        try (Lease other = this.application.locks.acquire(LockRequest.of("lock-starter-fence-clean-up"))) {
            cleanUp.run();
            assertThat(this.application.stored()).isEqualTo(1);
        }
        cleanUp.run();
        assertThat(this.application.stored()).isZero();
        assertThatNothingIsLeft();
    }

    @Test
    void shouldAcceptATokenOlderThanTheRetentionOnlyIfItsRowIsPresent() throws SQLException {
        long now = System.currentTimeMillis() * 1000;
        long old = now - Duration.ofDays(31).toNanos() / 1000;
        try (Connection connection = this.application.pool.getConnection()) {
            assertThat(this.application.table.raise(connection, key(), old, LIMIT))
                    .isEqualTo(Outcome.TOO_OLD);
            this.application.letTheNextOwnerCommit(old - 1);
            assertThat(this.application.table.raise(connection, key(), old, LIMIT))
                    .isEqualTo(Outcome.ACCEPTED);
            assertThat(this.application.stored()).isEqualTo(old);
            assertThat(this.application.table.raise(connection, key(), old - 1, LIMIT))
                    .isEqualTo(Outcome.REFUSED);
        }
    }
}
