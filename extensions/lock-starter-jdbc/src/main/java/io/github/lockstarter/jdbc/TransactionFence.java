package io.github.lockstarter.jdbc;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.jdbc.FenceTable.Outcome;
import io.github.lockstarter.registry.GrantFence;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Raises the fencing token of each exclusive lock of a thread when it is granted, and locks the rows with these tokens
 * in each of the thread's transactions. A transaction that is refused does not commit. Thread-safe.
 */
final class TransactionFence implements GrantFence {

    /*
     * Implementation note. The names in brackets are the actions of the specification Fence.
     *
     * Grant. The token is raised in a separate transaction [RaiseAlone]: a rollback of the owner takes nothing back,
     * and what the owner reads before its first transaction cannot be changed by a late owner. A lock that is granted
     * in a running transaction raises its token there [RaiseInside], because a second connection could be missing. If
     * that transaction is rolled back, a former owner may commit. Therefore nothing is committed under that grant
     * afterwards.
     *
     * Begin. The rows with the tokens are locked on the connection of the transaction, before its first statement
     * [Begin]. Only if a token was not raised, or its row was deleted, it is raised there. A conflict with another
     * transaction fails the begin: to roll back and to repeat would undo what other listeners or the pool have set on
     * the connection, such as the schema of a tenant.
     *
     * A new transaction that suspends another one locks the rows itself [BeginInner], because the database may end the
     * session of the suspended one. It is refused, before it begins, if it would wait for the suspended one: if that
     * one has raised the token, or the database has no shared locks of rows.
     *
     * Commit. A transaction that may have lost its locks and gone on locks the rows again [MayCommit]. If a row has
     * another token, the commit is refused.
     *
     * Refusal. An exception of a listener would leave the transaction bound to the thread, and the next transactions
     * would join it and never commit. So the transaction is rolled back by its manager before the exception is thrown.
     * Behind a transaction or a scope that was suspended, the manager would resume that one twice; there the connection
     * is rolled back, which frees the row, and the commit is refused by the first callback before it. Spring does not
     * roll back if a later callback throws a TransactionException, and resetting auto-commit would commit then; the
     * last callback rolls back.
     *
     * Start. The fence exists before the first lock is granted, and notes the leases of threads from then on. It raises
     * tokens once the tables of the databases exist.
     */

    private static final LockLog logger = LockLog.of(TransactionFence.class);

    /** The cause of a refusal that is none of the owners'. */
    private static final String TWO_SERVERS =
            "If the lock has no other owner, instances that use different Redis servers or databases share the table: set"
                    + " distributed-lock.jdbc.fence.table-name for those of one of them.";

    /** The shortest wait for a row, with which a free row can be locked even if no time is left. */
    private static final long MIN_WAIT_MILLIS = 100;

    // These fields are written before `tables`, and read after it.

    private Settings settings = new Settings("", LoggedNames.WITHOUT_KEYS, false);

    private @Nullable FenceReports reports;

    private volatile @Nullable LeasingLockRegistry registry;

    private final LongSupplier clock;

    /** The tables, or null until they have been created. */
    private volatile @Nullable FenceTables tables;

    @SuppressWarnings("ThreadLocalUsage") // a fence is a singleton
    private final ThreadLocal<@Nullable ThreadState> states = new ThreadLocal<>();

    private final AtomicBoolean hasWarnedOfSnapshots = new AtomicBoolean();

    private final AtomicBoolean hasWarnedOfStart = new AtomicBoolean();

    private final AtomicBoolean hasWarnedOfManager = new AtomicBoolean();

    /**
     * What applies to all tables.
     *
     * @param keyPrefix prefix of the keys of locks in the store, and of rows
     * @param names names of locks in messages
     * @param atGrant whether a token is raised when the lock is granted outside of a transaction
     */
    record Settings(String keyPrefix, LoggedNames names, boolean atGrant) {}

    /** An exclusive lock that a thread holds. */
    private static final class Held {

        final Lease lease;

        final LockRequest request;

        /** When its token was raised last in a transaction that has committed, by {@link #now}. */
        final Map<FenceTable, Long> raisedAt = new HashMap<>(2);

        /** The tables in which a transaction in which it was granted was rolled back, with its token. */
        final Set<FenceTable> takenBack = new HashSet<>(2);

        /** Where a lock with a lease of its own was acquired, which may be left to its lease; null for others. */
        final @Nullable CallStack acquired;

        Held(Lease lease, LockRequest request) {
            this.lease = lease;
            this.request = request;
            Duration own = request.lease();
            this.acquired = own != null && !own.isNegative() && request.method() == null ? CallStack.here() : null;
        }

        /** Returns whether the lease has expired, and the code that could unlock it has returned. */
        boolean isForgotten() {
            return this.acquired != null
                    && this.lease.state() == Lease.State.LOST
                    && this.lease.lost().toCompletableFuture().getNow(null) == LossReason.EXPIRED
                    && this.acquired.hasReturned();
        }

        String lockName() {
            return this.lease.name();
        }
    }

    /** The exclusive locks and the open transactions of one thread. */
    private static final class ThreadState {

        /** The locks, sorted by name. */
        private final List<Held> locks = new ArrayList<>(1);

        /** Its transactions with a fenced database that have not ended, the innermost first. */
        private final Deque<Fenced> open = new ArrayDeque<>(1);

        /** Returns the locks that the body has not released. */
        List<Held> held() {
            return this.locks.stream()
                    .filter(lock -> lock.lease.state() != Lease.State.RELEASED)
                    .toList();
        }
    }

    /** A transaction. */
    private final class Fenced implements TransactionSynchronization, Ordered {

        final TransactionExecution transaction;

        final FenceTable table;

        final DataSource dataSource;

        /** The resource that is bound to the DataSource during the transaction. */
        final Object resource;

        /** The locks whose rows it has locked, by their names. */
        final SortedMap<String, Held> locked = new TreeMap<>();

        /** The locks whose tokens it has raised. Other transactions wait for these rows. */
        final List<Held> raised = new ArrayList<>(0);

        /** Those of them that were granted in it. */
        final List<Held> granted = new ArrayList<>(0);

        /**
         * Whether the rows are locked again before the commit, because a transaction on the same connection has ended,
         * or a savepoint may have undone a raise.
         */
        boolean mustLockAgain;

        /** The reason why the transaction must not commit, or {@code null} if it may. */
        @Nullable
        RuntimeException failure;

        private boolean isEnded;

        Fenced(TransactionExecution transaction, FenceTable table, DataSource dataSource, Object resource) {
            this.transaction = transaction;
            this.table = table;
            this.dataSource = dataSource;
            this.resource = resource;
        }

        /** Returns whether the database has ended the transaction, in which case its rows are no longer locked. */
        boolean isEnded() {
            // Some failures of a commit are reported to no listener.
            return this.isEnded || this.transaction.isCompleted();
        }

        boolean hasRaised(String lockName) {
            return this.raised.stream().anyMatch(lock -> lock.lockName().equals(lockName));
        }

        /** Precedes the callbacks of users. */
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        /** Locks what the thread was granted while this transaction was suspended. */
        @Override
        public void resume() {
            try {
                lockRest(this);
            } catch (RuntimeException ex) {
                this.failure = ex;
            }
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            requireNoFailure();
        }

        void requireNoFailure() {
            if (this.failure != null) {
                throw this.failure;
            }
        }

        @Override
        public void afterCommit() {
            ended(true);
        }

        @Override
        public void afterCompletion(int status) {
            ended(status == STATUS_COMMITTED);
            if (status != STATUS_COMMITTED) {
                // Spring may not have rolled back. The drivers send nothing if there is nothing to roll back.
                try {
                    inTransaction(this, Connection::rollback);
                } catch (SQLException | RuntimeException ex) {
                    logger.debug("A connection could not be rolled back.", ex);
                }
            }
        }

        void ended(boolean committed) {
            if (this.isEnded) {
                return;
            }
            this.isEnded = true;
            if (committed) {
                this.raised.forEach(lock -> lock.raisedAt.put(this.table, now()));
            } else {
                this.granted.forEach(lock -> lock.takenBack.add(this.table));
            }
        }
    }

    /** Creates a fence. */
    TransactionFence() {
        this(System::nanoTime);
    }

    /**
     * Creates a fence.
     *
     * @param clock nanoseconds, by which the age of raised tokens is measured
     */
    TransactionFence(LongSupplier clock) {
        this.clock = clock;
    }

    private long now() {
        return this.clock.getAsLong();
    }

    /** Fences the grants of that registry. */
    void setRegistry(LeasingLockRegistry registry) {
        this.registry = registry;
        registry.setFence(this);
    }

    /** Raises tokens from now on. */
    void start(FenceTables tables, Settings settings, FenceReports reports) {
        this.settings = settings;
        this.reports = reports;
        this.tables = tables;
    }

    // ---- Transactions

    /** Listens to the transactions of one manager. */
    final class Listener implements TransactionExecutionListener {

        private final PlatformTransactionManager manager;

        private final Supplier<@Nullable DataSource> dataSource;

        private final String name;

        private final AtomicBoolean hasWarned = new AtomicBoolean();

        /**
         * Creates a listener.
         *
         * @param dataSource supplies the DataSource of the manager, or {@code null} if it has none
         * @param name of the manager, for messages
         */
        Listener(PlatformTransactionManager manager, Supplier<@Nullable DataSource> dataSource, String name) {
            this.manager = manager;
            this.dataSource = dataSource;
            this.name = name;
        }

        @Override
        public void beforeBegin(TransactionExecution transaction) {
            ThreadState mine = TransactionFence.this.states.get();
            FenceTables all = TransactionFence.this.tables;
            // Most threads hold no lock, and the manager is asked by reflection.
            if (mine == null || all == null || transaction.isReadOnly() || !transaction.isNewTransaction()) {
                return;
            }
            DataSource source = this.dataSource.get();
            FenceTable table = source != null ? all.find(source) : null;
            if (source != null && table != null) {
                requireNoWaitForItself(mine, table, TransactionSynchronizationManager.getResource(source));
            }
        }

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
            if (beginFailure != null || !transaction.isNewTransaction() || transaction.isNested()) {
                return;
            }
            FenceTables all = TransactionFence.this.tables;
            if (all == null) {
                warnBeforeStart();
                return;
            }
            Fenced fenced = null;
            try {
                DataSource source = this.dataSource.get();
                FenceTable table = source != null ? all.find(source) : null;
                Object resource = source != null ? TransactionSynchronizationManager.getResource(source) : null;
                if (source != null && table != null && resource != null) {
                    fenced = new Fenced(transaction, table, source, resource);
                    begin(fenced);
                } else if (this.hasWarned.compareAndSet(false, true)) {
                    logger.warn(
                            "The transactions of transaction manager '" + this.name
                                    + "' are not fenced: its DataSource is none of those that are fenced. List the DataSource bean that it"
                                    + " uses in distributed-lock.jdbc.fence.data-sources; of one that routes to others, the router.");
                }
            } catch (RuntimeException | Error ex) {
                end(this.manager, transaction, fenced, ex);
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            Fenced fenced = first(each -> each.transaction == transaction);
            if (fenced == null) {
                return;
            }
            // A manager without synchronization does not invoke the callback.
            fenced.requireNoFailure();
            lockRest(fenced);
            if (!fenced.locked.isEmpty() && (fenced.mustLockAgain || fenced.table.losesLocks())) {
                lockRows(fenced, List.copyOf(fenced.locked.values()), false);
            }
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
            ended(transaction, commitFailure == null);
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
            if (!transaction.isNested()) {
                ended(transaction, false);
            }
        }

        private void ended(TransactionExecution transaction, boolean committed) {
            Fenced fenced = first(each -> each.transaction == transaction);
            if (fenced != null) {
                fenced.ended(committed);
            }
            removeEnded();
        }
    }

    private void begin(Fenced fenced) {
        removeEnded();
        ThreadState mine = state();
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(fenced);
        }
        // Another manager may begin a transaction on the connection of one that is open, and free its rows.
        mine.open.stream().filter(each -> each.resource == fenced.resource).forEach(each -> each.mustLockAgain = true);
        mine.open.push(fenced);
        if (!fenced.transaction.isReadOnly()) {
            forget(mine);
            List<Held> locks = mine.held();
            refresh(fenced.table, locks);
            lockRows(fenced, locks, true);
        }
    }

    /** Otherwise each transaction of a thread that has not unlocked once would be refused, also without a lock. */
    private void forget(ThreadState mine) {
        for (Held lock : List.copyOf(mine.locks)) {
            if (lock.isForgotten()) {
                mine.locks.remove(lock);
                logger.warn(shown(lock.lease) + " has expired, and thread '"
                        + Thread.currentThread().getName()
                        + "' has not unlocked it. Its transactions are no longer checked by"
                        + " this lock. Call unlock() in a finally block.");
            }
        }
    }

    /** Locks the rows of locks that the thread was granted since the begin, but not in this transaction. */
    private void lockRest(Fenced fenced) {
        ThreadState mine = this.states.get();
        if (mine != null && !fenced.transaction.isReadOnly()) {
            lockRows(
                    fenced,
                    mine.held().stream()
                            .filter(lock -> fenced.locked.get(lock.lockName()) != lock)
                            .toList(),
                    false);
        }
    }

    /** Throws if a new transaction would wait for a transaction of this thread that is suspended. */
    private void requireNoWaitForItself(ThreadState mine, FenceTable table, @Nullable Object bound) {
        for (Held lock : mine.held()) {
            Fenced outer = first(each -> !each.isEnded()
                    && each.table == table
                    && each.resource != bound
                    && each.locked.containsKey(lock.lockName())
                    && (!table.sharesRows() || each.hasRaised(lock.lockName())));
            if (outer != null) {
                throw refused(
                        lock,
                        failure(
                                lock.lease,
                                outer.hasRaised(lock.lockName())
                                        ? "has raised its token in a transaction that is suspended, so that a new transaction"
                                                + " (REQUIRES_NEW) in it could not be fenced. Acquire the lock before the outer"
                                                + " transaction begins, with distributed-lock.jdbc.fence.at-grant=true."
                                        : "has locked its row in " + table
                                                + " in a transaction that is suspended. This database"
                                                + " has no shared locks of rows, so that a new transaction (REQUIRES_NEW) in it would"
                                                + " wait for itself. Begin it outside of the lock, or use a database that shares"
                                                + " locks."),
                        System.nanoTime());
            }
        }
    }

    /** Raises tokens again that were raised so long ago that their rows could be taken for old ones. */
    private void refresh(FenceTable table, List<Held> locks) {
        long due = table.retention().dividedBy(2).toNanos();
        for (Held lock : locks) {
            Long raised = lock.raisedAt.get(table);
            if (raised != null && now() - raised > due && locking(table, lock, null) == null) {
                raiseAlone(table, lock, table.lockTimeout());
            }
        }
    }

    /**
     * Locks the rows of a transaction, whose tokens must be those of the locks. Tokens that were not raised so far are
     * raised.
     *
     * @param isBegin whether nothing has been done in the transaction, so that a token whose row is gone may be raised
     *     again
     */
    private void lockRows(Fenced fenced, List<Held> locks, boolean isBegin) {
        if (locks.isEmpty()) {
            return;
        }
        FenceTable table = fenced.table;
        long start = System.nanoTime();
        for (Held lock : locks) {
            if (lock.takenBack.contains(table)) {
                throw refused(lock, takenBack(lock), start);
            }
        }
        // Behind a row that this thread has locked, only the raise of a later owner can be in the way, and it waits for
        // this thread.
        Duration timeout = locks.stream().anyMatch(lock -> locking(table, lock, fenced) != null)
                ? atMost(table.lockTimeout(), 0)
                : timeout(fenced);
        inTransaction(fenced, connection -> {
            List<Held> stored = locks.stream()
                    .filter(lock -> lock.raisedAt.containsKey(table) || fenced.raised.contains(lock))
                    .toList();
            long[] tokens = tokens(table, connection, stored, timeout, start);
            for (Held lock : locks) {
                int index = stored.indexOf(lock);
                long token = index >= 0 ? tokens[index] : 0;
                if (token > lock.lease.fencingToken()) {
                    throw refused(lock, takenOver(table, lock.lease), start);
                }
                if (token == lock.lease.fencingToken()) {
                    fenced.locked.put(lock.lockName(), lock);
                } else if ((isBegin || index < 0) && locking(table, lock, fenced) == null) {
                    raiseIn(fenced, connection, lock, timeout);
                    if (!isBegin) {
                        fenced.granted.add(lock);
                        fenced.mustLockAgain = true;
                    }
                } else {
                    throw refused(lock, gone(table, lock), start);
                }
                if (isBegin) {
                    answered(lock, FenceOutcome.ACCEPTED, start);
                }
            }
        });
    }

    private long[] tokens(FenceTable table, Connection connection, List<Held> locks, Duration timeout, long start) {
        try {
            return table.lock(
                    connection, locks.stream().map(lock -> key(lock.lease)).toList(), timeout);
        } catch (SQLException ex) {
            Held first = locks.get(0);
            throw conflictOr(ex, refused(first, unknown(table, first.lease, timeout, ex), start));
        }
    }

    private FenceException gone(FenceTable table, Held lock) {
        return failure(
                lock.lease,
                "has no row with its token in " + table
                        + ": a savepoint, a statement that ends the transaction, a deadlock, or the"
                        + " end of a session has rolled the token back, or the row was deleted. Nothing of the transaction is"
                        + " stored. Acquire the lock before the transaction begins.");
    }

    private FenceException takenBack(Held lock) {
        return failure(
                lock.lease,
                "was granted in a transaction that was rolled back, and its token with it, so that nothing is committed"
                        + " under this grant. Acquire the lock before the transaction begins, or acquire it again.");
    }

    /**
     * Ends a transaction whose owner was refused, or may be, and throws the failure, unless the commit is to throw it.
     */
    private void end(
            PlatformTransactionManager manager,
            TransactionExecution transaction,
            @Nullable Fenced fenced,
            Throwable failure) {
        if (fenced != null) {
            fenced.failure = failure instanceof RuntimeException refusal
                    ? refusal
                    : new IllegalStateException("The transaction could not be fenced.", failure);
            if (transaction instanceof DefaultTransactionStatus status && status.getSuspendedResources() != null) {
                try {
                    inTransaction(fenced, Connection::rollback);
                } catch (SQLException | RuntimeException ex) {
                    failure.addSuppressed(ex);
                }
                return;
            }
        }
        try {
            manager.rollback((TransactionStatus) transaction);
        } catch (RuntimeException ex) {
            failure.addSuppressed(ex);
        }
        if (failure instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) failure;
    }

    /** Statements on the connection of a transaction. */
    private interface Statements<E extends Exception> {

        void execute(Connection connection) throws E;
    }

    private static <E extends Exception> void inTransaction(Fenced fenced, Statements<E> statements) throws E {
        Connection connection = DataSourceUtils.getConnection(fenced.dataSource);
        try {
            statements.execute(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, fenced.dataSource);
        }
    }

    /** Raises the token of a lock in a transaction, which may have changes and is therefore not repeated. */
    private void raiseIn(Fenced fenced, Connection connection, Held lock, Duration timeout) {
        FenceTable table = fenced.table;
        long start = System.nanoTime();
        while (true) {
            try {
                raise(table, connection, lock.lease, timeout);
                fenced.locked.put(lock.lockName(), lock);
                fenced.raised.add(lock);
                return;
            } catch (SQLException ex) {
                if (!FenceTable.isDuplicate(ex) || System.nanoTime() - start > timeout.toNanos()) {
                    throw conflictOr(ex, refused(lock, unknown(table, lock.lease, timeout, ex), start));
                }
            } catch (LockException ex) {
                throw refused(lock, ex, start);
            }
        }
    }

    /** Returns an exception that callers know as one after which a new transaction can succeed, if that is the case. */
    private static RuntimeException conflictOr(SQLException cause, LockException failure) {
        return FenceTable.isConflict(cause)
                ? new CannotAcquireLockException(
                        Printable.of(failure.getMessage()
                                + " Nothing of the transaction is stored: repeat it in a new one."),
                        failure)
                : failure;
    }

    /** Returns how long a statement may wait: not beyond the end of the transaction. */
    private static Duration timeout(Fenced fenced) {
        Duration longest = fenced.table.lockTimeout();
        if (!(fenced.resource instanceof ResourceHolderSupport holder) || !holder.hasTimeout()) {
            return longest;
        }
        try {
            return atMost(longest, holder.getTimeToLiveInMillis());
        } catch (TransactionTimedOutException ex) {
            // No time is left beyond the shortest wait.
            return atMost(longest, 0);
        }
    }

    private static Duration atMost(Duration longest, long millis) {
        return millis >= longest.toMillis() ? longest : Duration.ofMillis(Math.max(millis, MIN_WAIT_MILLIS));
    }

    /**
     * In the form of keys in the store, in which the prefix has no braces, so that two locks never have the same row.
     */
    private byte[] key(Lease lease) {
        return (this.settings.keyPrefix + ":{" + lease.name() + '}').getBytes(StandardCharsets.UTF_8);
    }

    private void answered(Held lock, FenceOutcome outcome, long start) {
        Objects.requireNonNull(this.reports)
                .answered(lock.request, outcome, Duration.ofNanos(System.nanoTime() - start));
    }

    /** Reports the failure and returns it. */
    private LockException refused(Held lock, LockException failure, long start) {
        FenceOutcome outcome =
                failure instanceof TransactionRefusedException ? FenceOutcome.REFUSED : FenceOutcome.UNKNOWN;
        answered(lock, outcome, start);
        Objects.requireNonNull(this.reports)
                .refused(new TransactionRefusedEvent(lock.request, lock.lease.fencingToken(), outcome, failure));
        return failure;
    }

    /**
     * Raises the token of one lease.
     *
     * @throws TransactionRefusedException if a larger token is stored; the lease is lost then
     * @throws FenceException if the token is too old, or the lease was released
     */
    private void raise(FenceTable table, Connection connection, Lease lease, Duration timeout) throws SQLException {
        Outcome outcome = table.raise(connection, key(lease), lease.fencingToken(), timeout);
        if (outcome == Outcome.REFUSED) {
            throw takenOver(table, lease);
        }
        if (outcome == Outcome.TOO_OLD) {
            throw failure(
                    lease,
                    "was granted at " + FenceTable.timeOf(lease.fencingToken())
                            + " by the clock of the store, which is more than the retention of " + table.retention()
                            + " before the present time of the database, and " + table + " has no row for it. Raise"
                            + " distributed-lock.jdbc.fence.retention above the longest time for which a lock is held, and"
                            + " compare the clocks of both servers.");
        }
    }

    /** Notes that the lease has a later owner, and returns the exception. */
    private LockException takenOver(FenceTable table, Lease lease) {
        Objects.requireNonNull(this.registry).takenOver(lease);
        if (lease.state() != Lease.State.LOST) {
            return failure(
                    lease,
                    "was released before, and a later owner has raised its token in " + table
                            + ". The transaction was refused. " + TWO_SERVERS);
        }
        try {
            lease.ensureHeld();
            throw new IllegalStateException("A lost lease cannot be held again.");
        } catch (LockLostException loss) {
            return new TransactionRefusedException(
                    Printable.of(shown(lease) + " has a later owner, which has raised its token in " + table
                            + ". Nothing of the transaction is stored. " + TWO_SERVERS),
                    loss);
        }
    }

    private FenceException failure(Lease lease, String what) {
        return new FenceException(shown(lease) + ' ' + what, null, lease.name(), lease.fencingToken());
    }

    private FenceException unknown(FenceTable table, Lease lease, Duration timeout, SQLException cause) {
        String reason;
        if (cause instanceof SQLTransientConnectionException) {
            reason =
                    "no connection could be obtained, of which a lock outside of a transaction needs one for a moment: ";
        } else if (FenceTable.isTimeout(cause)) {
            reason = "an earlier owner of the lock has a transaction open, which has locked the row for longer than "
                    + timeout.toMillis()
                    + " ms. It cannot commit if it is late, but it must end: find its session and end it,"
                    + " see the runbook FenceException in the manual. ";
        } else {
            reason = "the statement failed: ";
        }
        // The message of a database may have several lines.
        return new FenceException(
                Printable.of(
                        shown(lease) + " may have a later owner, so that nothing is committed under it. Its row in "
                                + table + " could not be locked: " + reason + cause.getMessage()),
                cause,
                lease.name(),
                lease.fencingToken());
    }

    private String shown(Lease lease) {
        return "Lock '" + this.settings.names.of(lease.name()) + "' (fencing token " + lease.fencingToken() + ')';
    }

    // ---- Grants

    @Override
    public void granted(Lease lease, LockRequest request, long waitNanos) {
        removeEnded();
        Held lock = new Held(lease, request);
        ThreadState mine = state();
        // An error may have kept a former grant.
        mine.locks.removeIf(each -> each.lockName().equals(lock.lockName()));
        mine.locks.add(lock);
        mine.locks.sort(Comparator.comparing(Held::lockName));
        FenceTables all = this.tables;
        if (all == null) {
            return;
        }
        for (FenceTable table : all.all()) {
            Fenced running = running(table);
            if (locking(table, lock, running) != null) {
                throw refused(
                        lock,
                        failure(
                                lease,
                                "is granted again in a new transaction, in a suspended one that has locked its row in "
                                        + table
                                        + " and would wait for itself. Hold the lock around both transactions."),
                        System.nanoTime());
            }
            warnOfUnknownManager(table, lease);
            if (running != null && !running.transaction.isReadOnly()) {
                raiseAtGrant(running, lock);
            } else if (this.settings.atGrant && !isOnReplica(table)) {
                raiseAlone(table, lock, atMost(table.lockTimeout(), TimeUnit.NANOSECONDS.toMillis(waitNanos)));
            }
        }
    }

    /** A router of reads and writes chooses the database by this. The next transaction that writes raises the token. */
    private static boolean isOnReplica(FenceTable table) {
        return table.isRouted() && TransactionSynchronizationManager.isCurrentTransactionReadOnly();
    }

    @Override
    public void ended(Lease lease) {
        ThreadState mine = this.states.get();
        if (mine != null) {
            mine.locks.removeIf(each -> each.lease == lease);
            removeEnded();
        }
    }

    @Override
    public Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        FenceTables all = this.tables;
        if (all != null) {
            details.put("tables", all.all().stream().map(FenceTable::toString).toList());
            Objects.requireNonNull(this.reports).addTo(details);
        }
        return details;
    }

    private void raiseAtGrant(Fenced running, Held lock) {
        long start = System.nanoTime();
        // The body may go back to a savepoint before the grant.
        running.mustLockAgain = true;
        try {
            // What was written under a former grant is checked by its token, which is replaced now.
            Held former = running.locked.get(lock.lockName());
            if (former != null) {
                lockRows(running, List.of(former), false);
            }
            inTransaction(running, connection -> raiseIn(running, connection, lock, timeout(running)));
            running.granted.add(lock);
        } catch (RuntimeException ex) {
            running.failure = ex;
            throw ex;
        }
        answered(lock, FenceOutcome.ACCEPTED, start);
        Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        if (running.table.mayReadBeforeLastCommit(isolation) && this.hasWarnedOfSnapshots.compareAndSet(false, true)) {
            logger.warn(shown(lock.lease) + " is acquired in a running transaction at REPEATABLE_READ. If this"
                    + " transaction has read before, it does not see what the former owner has committed since, and "
                    + running.table + " accepts its writes. Acquire the lock before the transaction begins, or use"
                    + " READ_COMMITTED. Logged once.");
        }
    }

    /**
     * Raises the token in a separate transaction, by auto-commit in one round trip. After a conflict, the connection
     * is a new one: the pool may have prepared it in a transaction that is rolled back then.
     */
    private void raiseAlone(FenceTable table, Held lock, Duration timeout) {
        long start = System.nanoTime();
        boolean isRaised = false;
        while (!isRaised) {
            try (Connection connection = table.open()) {
                boolean autoCommit = connection.getAutoCommit();
                connection.setAutoCommit(true);
                try {
                    raise(table, connection, lock.lease, timeout);
                    isRaised = true;
                } finally {
                    FenceTable.setAutoCommit(connection, autoCommit);
                }
            } catch (SQLException ex) {
                if (!FenceTable.isConflict(ex) || System.nanoTime() - start > timeout.toNanos()) {
                    throw refused(lock, unknown(table, lock.lease, timeout, ex), start);
                }
            } catch (LockException ex) {
                throw refused(lock, ex, start);
            }
        }
        lock.raisedAt.put(table, now());
        answered(lock, FenceOutcome.ACCEPTED, start);
    }

    private void warnOfUnknownManager(FenceTable table, Lease lease) {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            Object resource = table.boundResource();
            if (resource != null
                    && first(each -> each.resource == resource) == null
                    && this.hasWarnedOfManager.compareAndSet(false, true)) {
                logger.warn(shown(lease)
                        + " is granted in a transaction that is not fenced, because its transaction manager is neither a bean"
                        + " nor that of a TransactionTemplate or TransactionInterceptor bean. Declare it as a bean."
                        + " Logged once.");
            }
        }
    }

    private void warnBeforeStart() {
        ThreadState mine = this.states.get();
        if (mine != null && !mine.locks.isEmpty() && this.hasWarnedOfStart.compareAndSet(false, true)) {
            logger.warn(
                    "A transaction under a lock is not fenced, because it begins while beans are created. Begin it when the"
                            + " application has started, for example on ApplicationReadyEvent. Logged once.");
        }
    }

    // ---- The transactions of a thread

    private ThreadState state() {
        ThreadState mine = this.states.get();
        if (mine == null) {
            mine = new ThreadState();
            this.states.set(mine);
        }
        return mine;
    }

    private @Nullable Fenced first(Predicate<Fenced> condition) {
        ThreadState mine = this.states.get();
        return mine != null ? mine.open.stream().filter(condition).findFirst().orElse(null) : null;
    }

    /** Removes transactions that have ended, and the state of a thread that has none and holds no lock. */
    private void removeEnded() {
        ThreadState mine = this.states.get();
        if (mine != null) {
            mine.open.removeIf(Fenced::isEnded);
            if (mine.open.isEmpty() && mine.locks.isEmpty()) {
                this.states.remove();
            }
        }
    }

    /** Returns another open transaction of this thread that has locked the row, or {@code null} if there is none. */
    private @Nullable Fenced locking(FenceTable table, Held lock, @Nullable Fenced except) {
        return first(each -> each != except
                && !each.isEnded()
                && each.table == table
                && (except == null || each.resource != except.resource)
                && each.locked.containsKey(lock.lockName()));
    }

    /**
     * Returns the transaction in which statements of this thread are executed, or {@code null} if none is open or it is
     * suspended.
     */
    private @Nullable Fenced running(FenceTable table) {
        Fenced innermost = first(each -> !each.isEnded() && each.table == table);
        // Without a transaction, another connection may be bound.
        return innermost != null
                        && TransactionSynchronizationManager.getResource(innermost.dataSource) == innermost.resource
                ? innermost
                : null;
    }
}
