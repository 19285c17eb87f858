package io.github.lockstarter.jdbc;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.GrantFence;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.jdbc.FenceTable.Outcome;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.text.Printable;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Raises the fencing tokens of the locks that a thread holds at the begin of each of its transactions, in the transaction, and when a
 * lock is granted. A transaction that is refused does not commit. Thread-safe.
 */
final class TransactionFence implements GrantFence {

    /*
     * Implementation note.
     *
     * Begin. The tokens are raised, in the order of the names, on the connection of the transaction before its first statement. In a
     * database that decides by a snapshot, it is the rightful owner whose statement fails after the commit of an earlier one;
     * nothing has been done yet, so that the transaction is rolled back and raises again.
     *
     * An exception of a listener would leave the transaction bound to the thread, and the next transactions would join it and
     * never commit. So the transaction is rolled back by its manager before the exception is thrown. Behind a transaction or a
     * scope that was suspended, the manager would resume that one twice; there the connection is rolled back, which frees the
     * row, and the commit is refused.
     *
     * Grant. A lock that is granted in a running transaction raises its token there. Otherwise the transaction that is the
     * annotated method does, or one of its own, so that what its owner reads before its first transaction cannot be changed by a
     * late owner any more.
     *
     * A row that an open transaction of this thread has raised, also a suspended one, is not raised on another connection, which
     * would wait for this thread. It is open until its first callback after the commit or the rollback: those that follow run
     * without the row. If it is rolled back after an inner transaction may have committed, it raises its tokens again on its
     * connection; if the lock was granted again inside of it, it raises the newer token before its commit.
     *
     * Start. The fence exists before the first lock is granted, and notes the leases of threads from then on. It raises tokens
     * once the tables of the databases exist.
     */

    private static final LockLog logger = LockLog.of(TransactionFence.class);

    /** Propagations by which a method begins a transaction if none is active. */
    private static final Set<Integer> BEGINNING = Set.of(
            TransactionDefinition.PROPAGATION_REQUIRED,
            TransactionDefinition.PROPAGATION_REQUIRES_NEW,
            TransactionDefinition.PROPAGATION_NESTED);

    // Written before the tables, and read after them

    private Settings settings = new Settings("", LoggedNames.WITHOUT_KEYS, false, null);

    private @Nullable FenceReports reports;

    private volatile @Nullable LeasingLockRegistry registry;

    /** Null until they have been created. */
    private volatile @Nullable FenceTables tables;

    @SuppressWarnings("ThreadLocalUsage") // a fence is a singleton
    private final ThreadLocal<@Nullable ThreadState> states = new ThreadLocal<>();

    private final AtomicBoolean hasWarnedOfSnapshots = new AtomicBoolean();

    /** Guarded by the fence, as the field below. */
    private int managers;

    /** Null: there is none, or there are several managers, of which an annotation may mean any. */
    private volatile @Nullable Listener onlyManager;

    /**
     * What applies to all tables.
     *
     * @param keyPrefix prefix of the keys of locks in the store, and of rows
     * @param names names of locks in messages
     * @param atGrant whether a token is raised when the lock is granted outside of a transaction
     * @param transactions tells which methods are transactions; null: unknown
     */
    record Settings(
            String keyPrefix,
            LoggedNames names,
            boolean atGrant,
            @Nullable TransactionAttributeSource transactions) {}

    /** An exclusive lock that a thread holds. */
    private record Held(Lease lease, LockRequest request) {

        String lockName() {
            return this.lease.name();
        }
    }

    /** What one thread has. */
    private static final class ThreadState {

        /** In the order of the names. */
        private final List<Held> locks = new ArrayList<>(1);

        /** Its transactions with a fenced database that have not ended, the innermost first. */
        private final Deque<Fenced> open = new ArrayDeque<>(1);
    }

    /** A transaction. */
    private final class Fenced implements TransactionSynchronization, Ordered {

        final TransactionExecution transaction;

        final FenceTable table;

        final DataSource dataSource;

        /** What the transaction has bound to the DataSource. */
        final Object resource;

        /** The locks whose rows it has locked, by their names, in the order in which all owners raise them. */
        final SortedMap<String, Held> raised = new TreeMap<>();

        /** Whether an inner transaction has relied on one of these rows. */
        boolean hasInner;

        /** Whether a lock was granted again in an inner transaction, which could not raise the token. */
        boolean isBehind;

        /** Why it must not commit; null: it may. */
        @Nullable
        RuntimeException failure;

        private boolean isEnded;

        Fenced(TransactionExecution transaction, FenceTable table, DataSource dataSource, Object resource) {
            this.transaction = transaction;
            this.table = table;
            this.dataSource = dataSource;
            this.resource = resource;
        }

        /** Returns whether the database has ended it, so that its rows are not locked any more. */
        boolean isEnded() {
            // Some failures of a commit are reported to no listener.
            return this.isEnded || this.transaction.isCompleted();
        }

        /** Precedes the callbacks of users. */
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            this.isEnded = true;
        }

        @Override
        public void afterCompletion(int status) {
            if (status == STATUS_COMMITTED) {
                this.isEnded = true;
            } else {
                rolledBack();
            }
        }

        /** Is called while the connection is still bound. */
        void rolledBack() {
            if (!this.isEnded) {
                this.isEnded = true;
                if (this.hasInner) {
                    raiseAgain(this);
                }
            }
        }
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

    /**
     * Adds a transaction manager of the application.
     *
     * @param listener its listener; null: its transactions are not fenced
     */
    synchronized void addManager(@Nullable Listener listener) {
        this.managers++;
        this.onlyManager = this.managers == 1 ? listener : null;
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
         * @param dataSource that of the manager; null: it has none
         * @param name of the manager, for messages
         */
        Listener(PlatformTransactionManager manager, Supplier<@Nullable DataSource> dataSource, String name) {
            this.manager = manager;
            this.dataSource = dataSource;
            this.name = name;
        }

        @Override
        public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
            FenceTables all = TransactionFence.this.tables;
            if (beginFailure != null || all == null || !transaction.isNewTransaction() || transaction.isNested()) {
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
                    logger.warn("The transactions of transaction manager '" + this.name
                            + "' are not fenced: they have no connection of a DataSource that is fenced. See"
                            + " distributed-lock.jdbc.fence.data-sources.");
                }
            } catch (RuntimeException | Error ex) {
                end(this.manager, transaction, fenced, ex);
            }
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            Fenced fenced = first(each -> each.transaction == transaction);
            if (fenced != null && fenced.failure != null) {
                throw fenced.failure;
            }
            if (fenced != null && fenced.isBehind) {
                raiseOnceMore(fenced);
            }
        }

        @Override
        public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
            removeEnded();
        }

        @Override
        public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
            if (transaction.isNested()) {
                afterSavepoint(this.dataSource.get());
            } else {
                Fenced fenced = first(each -> each.transaction == transaction);
                if (fenced != null) {
                    fenced.rolledBack();
                }
            }
            removeEnded();
        }
    }

    private void begin(Fenced fenced) {
        removeEnded();
        ThreadState mine = state();
        List<Held> locks = mine.locks.stream()
                // The body may have released it.
                .filter(lock -> lock.lease.state() != Lease.State.RELEASED && !isRaisedAround(fenced.table, lock))
                .toList();
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(fenced);
        }
        mine.open.push(fenced);
        if (!locks.isEmpty() && !fenced.transaction.isReadOnly()) {
            inTransaction(fenced, connection -> raiseAll(fenced.table, connection, locks, true));
            locks.forEach(lock -> fenced.raised.put(lock.lockName(), lock));
        }
    }

    private boolean isRaisedAround(FenceTable table, Held lock) {
        Fenced outer = raising(table, lock);
        if (outer != null) {
            outer.hasInner = true;
        }
        return outer != null;
    }

    /** Raises what a rollback to a savepoint may have taken back. */
    private void afterSavepoint(@Nullable DataSource source) {
        FenceTables all = this.tables;
        FenceTable table = all != null && source != null ? all.find(source) : null;
        Fenced running = table != null ? running(table) : null;
        if (running != null && !running.raised.isEmpty()) {
            try {
                raiseOnceMore(running);
            } catch (RuntimeException ex) {
                running.failure = ex;
            }
        }
    }

    /** Raises the tokens of a transaction once more in it. */
    private void raiseOnceMore(Fenced fenced) {
        inTransaction(
                fenced, connection -> raiseAll(fenced.table, connection, List.copyOf(fenced.raised.values()), false));
    }

    /** Raises the tokens again that a rollback has taken back. */
    private void raiseAgain(Fenced fenced) {
        try {
            inTransaction(fenced, connection -> {
                boolean isOpen = !connection.getAutoCommit();
                try {
                    raiseAll(fenced.table, connection, List.copyOf(fenced.raised.values()), true);
                    if (isOpen) {
                        connection.commit();
                    }
                } catch (SQLException | RuntimeException ex) {
                    if (isOpen) {
                        rollback(connection, ex);
                    }
                    throw ex;
                }
            });
        } catch (SQLException | RuntimeException ex) {
            logger.warn(
                    "A transaction was rolled back that has raised tokens of locks "
                            + fenced.raised.values().stream()
                                    .map(lock -> shown(lock.lease))
                                    .toList()
                            + ", and they could not be raised again: " + ex.getMessage()
                            + ". A late owner may change what transactions inside of it have committed.",
                    ex);
        }
    }

    /** Ends a transaction whose owner was refused, or may be, and throws the failure, unless the commit is to throw it. */
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

    /**
     * Raises the tokens, and raises them again after a conflict with another transaction.
     *
     * @param isNew whether nothing else has been done on the connection, so that the transaction can begin anew
     */
    private void raiseAll(FenceTable table, Connection connection, List<Held> locks, boolean isNew) {
        long start = System.nanoTime();
        Held current = locks.get(0);
        while (true) {
            try {
                for (Held lock : locks) {
                    current = lock;
                    raise(table, connection, lock.lease);
                }
                locks.forEach(lock -> answered(lock, FenceOutcome.ACCEPTED, start));
                return;
            } catch (SQLException ex) {
                boolean canBeRepeated = isNew ? FenceTable.isConflict(ex) : FenceTable.isDuplicate(ex);
                if (!canBeRepeated
                        || System.nanoTime() - start > table.lockTimeout().toNanos()) {
                    throw refused(current, unknown(table, current.lease, ex), start);
                }
                if (isNew) {
                    rollback(connection, ex);
                }
            } catch (LockException ex) {
                throw refused(current, ex, start);
            }
        }
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
    private void raise(FenceTable table, Connection connection, Lease lease) throws SQLException {
        byte[] key = (this.settings.keyPrefix + ':' + lease.name()).getBytes(StandardCharsets.UTF_8);
        Outcome outcome = table.raise(connection, key, lease.fencingToken());
        if (outcome == Outcome.REFUSED) {
            Objects.requireNonNull(this.registry).takenOver(lease);
            if (lease.state() == Lease.State.LOST) {
                throw refusal(table, lease);
            }
            throw failure(
                    lease,
                    "was released by another thread, and a later owner has raised its token in " + table
                            + ". The transaction was refused.");
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

    private TransactionRefusedException refusal(FenceTable table, Lease lease) {
        try {
            lease.ensureHeld();
            throw new IllegalStateException("A lost lease cannot be held again.");
        } catch (LockLostException loss) {
            return new TransactionRefusedException(
                    Printable.of(shown(lease) + " has a later owner, which has raised its token in " + table
                            + ". Nothing of the transaction is stored."),
                    loss);
        }
    }

    private FenceException failure(Lease lease, String what) {
        return new FenceException(shown(lease) + ' ' + what, null, lease.name(), lease.fencingToken());
    }

    private FenceException unknown(FenceTable table, Lease lease, SQLException cause) {
        boolean isWithoutConnection = cause instanceof SQLTransientConnectionException;
        return new FenceException(
                shown(lease) + " may have a later owner, so that nothing is committed under it: its row in " + table
                        + " could not be raised. "
                        + (isWithoutConnection
                                ? "No connection could be obtained, of which a lock outside of a transaction needs one for"
                                        + " a moment: "
                                : "Another transaction may have locked it for longer than the lock-timeout of "
                                        + table.lockTimeout().toMillis() + " ms: ")
                        + cause.getMessage(),
                cause,
                lease.name(),
                lease.fencingToken());
    }

    private String shown(Lease lease) {
        return "Lock '" + this.settings.names.of(lease.name()) + "' (fencing token " + lease.fencingToken() + ')';
    }

    private static void rollback(Connection connection, Throwable cause) {
        try {
            connection.rollback();
        } catch (SQLException ex) {
            cause.addSuppressed(ex);
        }
    }

    // ---- Grants

    @Override
    public void granted(Lease lease, LockRequest request) {
        removeEnded();
        Held lock = new Held(lease, request);
        ThreadState mine = state();
        mine.locks.add(lock);
        mine.locks.sort(Comparator.comparing(Held::lockName));
        FenceTables all = this.tables;
        if (all == null) {
            return;
        }
        for (FenceTable table : all.all()) {
            Fenced running = running(table);
            Fenced raising = raising(table, lock);
            if (raising != null && raising != running) {
                raising.raised.put(lock.lockName(), lock);
                raising.hasInner = true;
                raising.isBehind = true;
            } else if (running != null && !running.transaction.isReadOnly()) {
                raiseIn(running, lock);
            } else if (raising == null
                    && this.settings.atGrant
                    && !willBeginTransaction(request.method(), all, table)) {
                raiseAlone(table, lock);
            }
        }
    }

    /** Returns whether the method that runs under the lock begins a transaction with the database, which raises the token. */
    private boolean willBeginTransaction(@Nullable Method method, FenceTables all, FenceTable table) {
        TransactionAttributeSource transactions = this.settings.transactions;
        Listener manager = this.onlyManager;
        if (method == null
                || transactions == null
                || manager == null
                || TransactionSynchronizationManager.isActualTransactionActive()) {
            return false;
        }
        TransactionAttribute attribute = transactions.getTransactionAttribute(method, null);
        DataSource source = manager.dataSource.get();
        return attribute != null
                && !attribute.isReadOnly()
                && BEGINNING.contains(attribute.getPropagationBehavior())
                && source != null
                && all.find(source) == table;
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

    /** In a transaction that may have changes: it cannot be rolled back and repeated. */
    private void raiseIn(Fenced running, Held lock) {
        Held former = running.raised.get(lock.lockName());
        if (former != null && lock.lease.fencingToken() <= former.lease.fencingToken()) {
            return;
        }
        try {
            inTransaction(running, connection -> raiseAll(running.table, connection, List.of(lock), false));
            running.raised.put(lock.lockName(), lock);
        } catch (RuntimeException ex) {
            running.failure = ex;
            throw ex;
        }
        Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        if (running.table.mayReadBeforeLastCommit(isolation) && this.hasWarnedOfSnapshots.compareAndSet(false, true)) {
            logger.warn(shown(lock.lease) + " is acquired in a running transaction at REPEATABLE_READ. If this"
                    + " transaction has read before, it does not see what the former owner has committed since, and "
                    + running.table + " accepts its writes. Acquire the lock before the transaction begins, or use"
                    + " READ_COMMITTED. Logged once.");
        }
    }

    private void raiseAlone(FenceTable table, Held lock) {
        long start = System.nanoTime();
        try (Connection connection = table.open()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                raiseAll(table, connection, List.of(lock), true);
                connection.commit();
            } catch (Throwable ex) {
                rollback(connection, ex);
                throw ex;
            } finally {
                FenceTable.setAutoCommit(connection, autoCommit);
            }
        } catch (SQLException ex) {
            throw refused(lock, unknown(table, lock.lease, ex), start);
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

    /** So that pool threads keep nothing. */
    private void removeEnded() {
        ThreadState mine = this.states.get();
        if (mine != null) {
            mine.open.removeIf(Fenced::isEnded);
            if (mine.open.isEmpty() && mine.locks.isEmpty()) {
                this.states.remove();
            }
        }
    }

    /** Returns the open transaction of this thread that has locked the row, so that this thread alone can raise it; or null. */
    private @Nullable Fenced raising(FenceTable table, Held lock) {
        return first(each -> !each.isEnded() && each.table == table && each.raised.containsKey(lock.lockName()));
    }

    /** Returns the transaction that statements of this thread take part in; null: none, or one that is suspended. */
    private @Nullable Fenced running(FenceTable table) {
        Fenced innermost = first(each -> !each.isEnded() && each.table == table);
        // Without a transaction, another connection may be bound.
        return innermost != null
                        && TransactionSynchronizationManager.getResource(innermost.dataSource) == innermost.resource
                ? innermost
                : null;
    }
}
