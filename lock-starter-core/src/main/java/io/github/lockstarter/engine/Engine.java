package io.github.lockstarter.engine;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StackRoom;
import io.github.lockstarter.store.StoreListener;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs the locks of one registry, from its start to its stop: a map of {@link LocalLock}s, each with a mutex, the execution of their
 * effects, and the time. Safe for use by several threads.
 */
final class Engine implements StoreListener {

    /*
     * Implementation note.
     *
     * Inputs. Each input of a lock takes its mutex for the time of the input, which is short: no I/O, no callback. Time is read under
     * the mutex, so that it never runs backwards for a lock. Locks share 256 mutexes, because one of its own would be a tenth of
     * the memory of each; no thread takes two.
     *
     * Effects are put into a chain under the mutex. After the mutex, one thread at a time executes the chain of a lock until it is
     * empty; others only append to it. So the notifications of a lock run in the order of its inputs, whichever threads bring them.
     * A thread is relieved by the next input or by the watchdog when others append faster than it executes.
     * No effect blocks. A blocking caller executes one command itself, that of its own call, after the effects.
     *
     * Commands have exactly one outcome each (Sent.isSettled), even if a store reports two.
     *
     * Errors. A StackOverflowError or an OutOfMemoryError can be thrown wherever a method is called. An input fails before it has
     * changed anything if the stack has no room for it; for all else there is the repair. An effect that has failed stays
     * at the head of its chain, and the watchdog executes it again on a stack of its own. An own command of a caller that has
     * failed is reported as one of unknown outcome. An input that has failed leaves its lock
     * with facts from which LocalLock.repair() continues. What is published in such a case are plain fields, because every call
     * could fail as well.
     *
     * Idle locks stay in the map for one to two seconds, so that a lock that is used again and again is not created each time. With more
     * than MOST_CELLS locks they are removed at once.
     */

    /** What happens to grants and waits, for events, meters and the log. */
    interface Observer extends GrantObserver {

        /** The wait has ended with a grant. Precedes {@link Wait#granted}. */
        void granted(Wait wait, Grant grant, Effects.Way way);

        /** The wait has ended without a grant. Precedes {@link Wait#refused}. */
        void refused(Wait wait, Refusal refusal);

        /** See {@link Effects#taken}. */
        void taken(String owner);

        /** A message was received that no store has sent. */
        void messageRejected();

        /** Returns the name of a lock as it appears in messages. */
        String shownName(String lockName);

        /** See {@link Effects#waitsForStore}. */
        void waitsForStore(String lockName, LockStoreException cause);

        /** Called about once a second, on the thread of the watchdog. */
        void keepHouse();
    }

    private static final LockLog logger = LockLog.of(Engine.class);

    private static final int MOST_CELLS = 10_000;

    /** A power of two. */
    private static final int MUTEXES = 256;

    /**
     * How many messages a second may name an acquisition that this instance does not know. Each is answered with a release, which goes
     * before what locks need.
     */
    private static final int MAX_UNKNOWN_IDS = 100;

    /** How often one thread takes effects that others have appended meanwhile. The watchdog has other locks to call. */
    private static final int MOST_ROUNDS = 64;

    private final LockStore store;

    private final Rules rules;

    private final Observer observer;

    private final LeaseClock clock;

    private final AcquisitionIds ids;

    private final Watchdog watchdog;

    /** A time of the clock that counts as one hour, so that no moment is negative. */
    private final long origin;

    private final ConcurrentMap<String, Cell> cells = new ConcurrentHashMap<>();

    private final Mutex[] mutexes = new Mutex[MUTEXES];

    private final AtomicInteger live = new AtomicInteger();

    /** Guards the window and {@link #isWriting}. Acquired under the mutex of a lock, not the other way round. */
    private final ReentrantLock turns = new ReentrantLock();

    private final CommandWindow window = new CommandWindow(CommandWindow.SIZE);

    private volatile boolean isWriting;

    /** Messages about unknown acquisitions since the last housekeeping. */
    private final AtomicInteger unknownIds = new AtomicInteger();

    /** Outcomes of which the window has not been told. */
    private final AtomicInteger outcomes = new AtomicInteger();

    private final ReentrantLock stopping = new ReentrantLock();

    private final Condition mayHaveEnded = this.stopping.newCondition();

    private volatile boolean stopped;

    /** When the store last replied; {@link Moment#BEFORE}: never. */
    private volatile long repliedAt = Moment.BEFORE;

    /** Whether cells may have become idle since the last look at all of them. */
    private volatile boolean hasIdleCells;

    /** Whether a cell may need a repair; set by plain writes of threads whose stack is exhausted. */
    private volatile boolean needsRepair;

    /** Whether it is unknown which one. */
    private volatile boolean repairsAll;

    Engine(LockStore store, Rules rules, Observer observer, LeaseClock clock, AcquisitionIds ids) {
        this.store = store;
        this.rules = rules;
        this.observer = observer;
        this.clock = clock;
        this.ids = ids;
        Arrays.setAll(this.mutexes, index -> new Mutex());
        this.origin = clock.nanoTime() - TimeUnit.HOURS.toNanos(1);
        this.watchdog = new Watchdog(store, this::nanos, this::keepHouse);
    }

    // ---- Life

    void start() {
        this.watchdog.start();
        this.store.start(this.ids.instance(), this);
    }

    /**
     * Refuses waiters, lets owners end their work for at most that time, and declares the remaining grants lost, whose keys are not
     * released.
     */
    void stop(Duration shutdownTimeout) {
        this.stopped = true;
        this.cells.values().forEach(cell -> cell.input((lock, now) -> lock.stop(now)));
        await(shutdownTimeout, () -> this.live.get() == 0);
        if (this.live.get() > 0) {
            this.cells.values().forEach(cell -> cell.input((lock, now) -> lock.giveUp(now)));
        }
        // Releases that are under way: the waiters of other instances would wait for the ends of leases.
        await(
                Duration.ofNanos(this.rules.commandTimeout()),
                () -> this.cells.values().stream().allMatch(Cell::isIdle));
        this.cells.values().forEach(cell -> cell.input((lock, now) -> lock.giveUp(now)));
        this.watchdog.stop();
        this.store.stop();
    }

    private void await(Duration atMost, BooleanSupplier isOver) {
        long left = atMost.toNanos();
        boolean interrupted = false;
        this.stopping.lock();
        try {
            while (!isOver.getAsBoolean() && left > 0) {
                try {
                    left = this.mayHaveEnded.awaitNanos(left);
                } catch (InterruptedException ex) {
                    interrupted = true;
                }
            }
        } finally {
            this.stopping.unlock();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void signalEnd() {
        this.stopping.lock();
        try {
            this.mayHaveEnded.signalAll();
        } finally {
            this.stopping.unlock();
        }
    }

    // ---- Waits

    /**
     * Acquires on the calling thread, which executes the first command and waits.
     *
     * @return whether the wait has a grant; otherwise it has a refusal
     * @throws InterruptedException if the thread was interrupted and has no grant
     */
    boolean acquire(ThreadWait wait) throws InterruptedException {
        if (wait.interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
        try {
            return await(wait);
        } catch (RuntimeException | Error ex) {
            // Only plain writes: the stack may be exhausted.
            Grant granted = wait.grant;
            if (granted != null) {
                granted.isUnclaimed = true;
            }
            wait.isAbandoned = true;
            Cell cell = wait.cell;
            if (cell != null) {
                cell.needsRepair = true;
            }
            this.needsRepair = true;
            throw ex;
        }
    }

    private boolean await(ThreadWait wait) throws InterruptedException {
        enter(wait, wait);
        boolean interruptible = wait.interruptible;
        boolean interrupted = false;
        Cell cell = wait.cell;
        while (cell != null && !wait.isOver()) {
            long left = wait.deadline == Moment.NEVER ? Moment.NEVER : wait.deadline - nanos();
            if (left > 0) {
                LockSupport.parkNanos(wait, left);
            } else {
                // The watchdog does the same, and may be late.
                cell.input((lock, now) -> lock.timeReached(now));
                if (!wait.isOver()) {
                    LockSupport.parkNanos(wait, this.rules.commandTimeout());
                }
            }
            if (Thread.interrupted()) {
                interrupted = true;
                if (interruptible) {
                    withdraw(wait);
                }
            }
        }
        // In the command that this thread has executed.
        interrupted |= interruptible && Thread.interrupted();
        if (interrupted) {
            if (interruptible && wait.grant == null) {
                throw new InterruptedException();
            }
            Thread.currentThread().interrupt();
        }
        return wait.grant != null;
    }

    /**
     * Enters without waiting. The outcome is reported to the wait, possibly before this method returns.
     *
     * @param own the command that this thread executes itself; null: none
     */
    void enter(Wait wait, @Nullable OwnCommand own) {
        // The cell may have been removed since it was found.
        while (!cell(wait.request.lockName()).input(wait, own)) {}
    }

    /** Ends a wait; returns false if it has ended, so that its outcome is on its way. */
    boolean withdraw(Wait wait) {
        Cell cell = wait.cell;
        boolean[] withdrawn = new boolean[1];
        if (cell != null) {
            cell.input((lock, now) -> withdrawn[0] = lock.withdraw(wait, Refusal.Cause.WITHDRAWN, now));
        }
        return withdrawn[0];
    }

    // ---- Grants

    /**
     * Releases, and waits for the reply of the store. Does nothing if it was called before. Returns false if the grant was lost; true
     * also if that is unknown.
     */
    boolean release(Grant grant) {
        // The owner of a lost grant does not wait for a store that may be silent.
        OwnCommand own = sent ->
                sent.stake == grant.stake && sent.command instanceof Command.Release && grant.state != Grant.State.LOST;
        change(grant, (lock, now) -> lock.release(grant, now), own);
        return grant.state != Grant.State.LOST;
    }

    /**
     * Releases without waiting for the reply of the store.
     *
     * @param whenOver called once, on any thread and possibly at once; must neither block nor throw
     */
    void releaseLater(Grant grant, Runnable whenOver) {
        boolean[] isPending = new boolean[1];
        change(
                grant,
                (lock, now) -> {
                    isPending[0] = grant.isLive() || grant.state == Grant.State.RELEASING;
                    if (isPending[0]) {
                        Runnable others = grant.whenReleased;
                        grant.whenReleased = others == null
                                ? whenOver
                                : () -> {
                                    others.run();
                                    whenOver.run();
                                };
                    }
                    lock.release(grant, now);
                },
                null);
        if (!isPending[0]) {
            whenOver.run();
        }
    }

    /** Renews with that lease, and waits for the reply. Returns the failure; null: the store has answered. */
    @Nullable
    LockStoreException lengthen(Grant grant, long lease) {
        @Nullable LockStoreException[] failure = new LockStoreException[1];
        change(grant, (lock, now) -> lock.lengthen(grant, lease, now), new OwnCommand() {

            @Override
            public boolean takes(Sent sent) {
                // A downgrade that has no reply yet is repeated instead.
                return sent.stake == grant.stake
                        && (sent.command instanceof Command.Renew || sent.command instanceof Command.Downgrade)
                        && grant.state != Grant.State.LOST;
            }

            @Override
            public void failed(LockStoreException cause) {
                failure[0] = cause;
            }
        });
        return failure[0];
    }

    /**
     * Turns the grant of a writer into that of a reader, and waits for the reply of the store.
     *
     * @return null if the grant of the writer was not live
     */
    @Nullable
    Grant downgrade(Grant writer, Wait reader) {
        @Nullable Grant[] granted = new Grant[1];
        change(
                writer,
                (lock, now) -> granted[0] = lock.downgrade(writer, reader, now),
                sent -> sent.command instanceof Command.Downgrade);
        return granted[0];
    }

    /** Gives the lock of the grant an input about the grant. */
    void change(Grant grant, BiConsumer<LocalLock, Moment> input) {
        change(grant, input, null);
    }

    private void change(Grant grant, BiConsumer<LocalLock, Moment> input, @Nullable OwnCommand own) {
        String lockName = grant.lockName();
        // A lost grant may have outlived the cell of its lock.
        while (!cell(lockName).input(input, own)) {}
    }

    /**
     * Returns the nanoseconds for which the owner may rely on the grant; 0: it has ended. A deadline that has passed is a loss before
     * this method returns.
     */
    long remaining(Grant grant) {
        if (!grant.isLive()) {
            return 0;
        }
        long left = grant.remaining(now());
        if (left == 0) {
            change(grant, (lock, now) -> lock.timeReached(now));
        }
        return left;
    }

    // ---- Notifications of the store

    @Override
    public void granted(String lock, String id, long token) {
        if (this.stopped) {
            return;
        }
        // Whoever may publish must not end a grant of another instance by its id.
        if (!this.ids.isOwn(id)) {
            messageRejected();
            return;
        }
        Cell cell = cell(lock);
        while (!cell.input((local, now) -> notify(local, id, token, now), null)) {
            cell = cell(lock);
        }
    }

    private void notify(LocalLock local, String id, long token, Moment now) {
        if (local.knows(id) || this.unknownIds.incrementAndGet() <= MAX_UNKNOWN_IDS) {
            local.notified(id, token, now);
        } else {
            messageRejected();
        }
    }

    @Override
    public void messageRejected() {
        this.observer.messageRejected();
    }

    @Override
    public void notificationsMayBeLost() {
        this.cells.values().forEach(cell -> cell.input((lock, now) -> lock.notificationsMayBeLost(now)));
    }

    @Override
    public void serverChanged() {
        this.cells.values().forEach(cell -> cell.input((lock, now) -> lock.serverChanged(now)));
    }

    // ---- Inspection

    /**
     * Visits the live grants, weakly consistent. The visitor must not block, because it is called under mutexes.
     *
     * @param lockName null: those of all locks
     */
    void forEachGrant(@Nullable String lockName, Consumer<Grant> visitor) {
        inspect(lockName, lock -> lock.forEachGrant(visitor));
    }

    /** Visits the waits in the order of arrival for each lock, as {@link #forEachGrant} does. */
    void forEachWait(@Nullable String lockName, Consumer<Wait> visitor) {
        inspect(lockName, lock -> lock.forEachWaiter(each -> visitor.accept((Wait) each)));
    }

    private void inspect(@Nullable String lockName, Consumer<LocalLock> inspection) {
        Collection<Cell> found = lockName == null
                ? this.cells.values()
                : Stream.ofNullable(this.cells.get(lockName)).toList();
        found.forEach(cell -> cell.inspect(inspection));
    }

    /** Returns the number of grants that are live or being released. */
    int liveGrants() {
        return this.live.get();
    }

    /** Returns whether a reply has shown that the store has the full lease of the grant. */
    boolean isConfirmed(Grant grant) {
        boolean[] confirmed = new boolean[1];
        inspect(grant.lockName(), lock -> confirmed[0] = lock.isConfirmed(grant));
        return confirmed[0];
    }

    /**
     * Has the watchdog release a grant that its owner cannot release, because the stack is exhausted: only plain writes.
     */
    void unclaimed(Grant grant) {
        grant.isUnclaimed = true;
        this.repairsAll = true;
        this.needsRepair = true;
    }

    /** Runs a task later, as {@link Watchdog#later} does. */
    boolean later(Runnable task, long delayNanos) {
        return this.watchdog.later(task, delayNanos);
    }

    boolean isStopped() {
        return this.stopped;
    }

    /** Returns when the store last replied to a command of a lock; {@link Moment#BEFORE}: never. */
    long repliedAt() {
        return this.repliedAt;
    }

    /** Returns how late the watchdog is. */
    Duration lag() {
        return this.watchdog.lag();
    }

    Moment now() {
        return new Moment(this.clock.nanoTime() - this.origin, this.clock.currentTimeMillis());
    }

    private long nanos() {
        return this.clock.nanoTime() - this.origin;
    }

    private Cell cell(String lockName) {
        Cell cell = this.cells.get(lockName);
        if (cell == null) {
            Cell created = new Cell(lockName);
            // Not computeIfAbsent(): an error in its function, such as an exhausted stack, blocks the key for ever.
            cell = this.cells.putIfAbsent(lockName, created);
            cell = cell != null ? cell : created;
        }
        return cell;
    }

    // ---- Commands that wait for their turn

    /** Notes the outcome of a command, and writes those that have waited for it. */
    private void writeNext() {
        this.outcomes.incrementAndGet();
        writeWaiting();
    }

    /**
     * Writes commands that wait, as far as there is room. One thread does so at a time, so that commands which fail at once do not nest,
     * and not for long, because it may be that of the watchdog. After an error, the housekeeping goes on.
     */
    private void writeWaiting() {
        try {
            if (!beginWriting()) {
                return;
            }
            int rounds = MOST_ROUNDS;
            for (Sent next = nextTurn(--rounds > 0); next != null; next = nextTurn(--rounds > 0)) {
                // A lock with a question that is open is not idle, and stays.
                Cell cell = this.cells.get(next.command.lock());
                if (cell != null) {
                    next.at = now();
                    cell.write(next);
                }
            }
            if (rounds <= 0) {
                boolean unused = later(this::writeWaiting, TimeUnit.MILLISECONDS.toNanos(1));
            }
        } catch (Throwable ex) {
            this.isWriting = false;
            logger.debug("A command that has waited was not written.", ex);
        }
    }

    private boolean beginWriting() {
        this.turns.lock();
        try {
            boolean begins = !this.isWriting;
            this.isWriting = true;
            return begins;
        } finally {
            this.turns.unlock();
        }
    }

    private @Nullable Sent nextTurn(boolean goesOn) {
        this.turns.lock();
        try {
            for (int left = this.outcomes.getAndSet(0); left > 0; left--) {
                this.window.left();
            }
            Sent next = goesOn ? this.window.next() : null;
            this.isWriting = next != null;
            return next;
        } finally {
            this.turns.unlock();
        }
    }

    // ---- Housekeeping

    private void keepHouse() {
        this.unknownIds.set(0);
        if (this.needsRepair) {
            this.needsRepair = false;
            boolean all = this.repairsAll;
            this.repairsAll = false;
            try {
                this.cells.values().forEach(cell -> {
                    try {
                        cell.repair(all);
                    } catch (Throwable ex) {
                        // Of this lock only; it is repaired again.
                        cell.failed();
                    }
                });
            } catch (Throwable ex) {
                // Without memory, there is no iterator.
                this.repairsAll |= all;
                this.needsRepair = true;
                throw ex;
            }
        }
        if (this.hasIdleCells) {
            this.hasIdleCells = false;
            this.cells.values().forEach(Cell::removeIfIdle);
        }
        writeWaiting();
        this.observer.keepHouse();
    }

    /** The command that the caller of an input executes itself, on its own thread. */
    interface OwnCommand {

        /** Returns whether the caller executes this command. Called under the mutex, until it is found. */
        boolean takes(Sent sent);

        /** Returns whether an interrupt ends the command. Otherwise the command is repeated, and the interrupt deferred. */
        default boolean isInterruptible() {
            return false;
        }

        /** The command has failed. */
        @SuppressWarnings("UnusedVariable") // most callers see the failure in the state of their grant
        default void failed(LockStoreException cause) {}
    }

    /**
     * A mutex, which many locks share, and what the input that holds it leaves. An effect that is executed at once never gets into a
     * field of the lock: such a field is old, and the garbage collector would look at each one that refers to something new.
     */
    @SuppressWarnings("serial")
    private static final class Mutex extends ReentrantLock {

        /** What the caller executes itself; null: nothing. */
        private @Nullable OwnCommand own;

        /** The command that the caller executes itself; null: there is none so far. */
        private @Nullable Sent taken;

        private @Nullable Effect first;

        private @Nullable Effect last;
    }

    /** A notification of observers, and of the wait or the grant that it is about. */
    private abstract static class Notification extends Effect {

        /** Called again if it throws. */
        abstract void run();
    }

    /** One lock: its state machine, its mutex, and the chain of its effects. An entry in the wheel of the watchdog. */
    final class Cell extends TimingWheel.Entry implements Effects {

        private final Mutex mutex;

        private final LocalLock lock;

        // Guarded by the mutex

        /** Effects that wait for the thread that executes those before them. */
        private @Nullable Effect first;

        private @Nullable Effect last;

        /** Whether a thread executes effects. */
        private boolean isDelivering;

        private boolean isRemoved;

        /** Whether the watchdog calls, at the time that the entry has; that may be earlier than the lock wants it. */
        private boolean isCalled;

        /** In which wheel of the watchdog it is. */
        boolean isAmongHeld;

        /** Whether the housekeeping has found it idle, and nothing has happened since. */
        private boolean wasSeenIdle;

        // Written without the mutex, by threads whose stack is exhausted

        /** The effect at which the thread that executes effects has failed, with those that follow. Written before isStalled. */
        private @Nullable Effect undelivered;

        /** Commands whose outcome could not be processed. */
        private volatile @Nullable Sent unsettled;

        /** Whether the thread that executes effects has failed. */
        private volatile boolean isStalled;

        private volatile boolean needsRepair;

        Cell(String name) {
            this.mutex = Engine.this.mutexes[name.hashCode() & (MUTEXES - 1)];
            this.lock = new LocalLock(name, Engine.this.rules, this);
        }

        boolean input(BiConsumer<LocalLock, Moment> input) {
            return input(input, null);
        }

        /**
         * Gives the lock an input, and executes what follows.
         *
         * @param own the command that this thread executes itself; null: none
         * @return false if the cell was removed, so that nothing has happened
         */
        boolean input(BiConsumer<LocalLock, Moment> input, @Nullable OwnCommand own) {
            StackRoom.require();
            return apply(input, own, null);
        }

        /**
         * Gives the lock an input, and executes effects until there are none, unless another thread does already. An input that is
         * a {@link Wait} is one that enters, and is abandoned if that fails.
         *
         * @param renewals takes renewals instead of sending them; null: they are sent
         * @return false if the cell was removed, so that nothing has happened
         */
        private boolean apply(
                BiConsumer<LocalLock, Moment> input, @Nullable OwnCommand own, Watchdog.@Nullable Renewals renewals) {
            Mutex held = this.mutex;
            Wait entering = input instanceof Wait wait ? wait : null;
            Effect effect = null;
            Sent taken = null;
            held.lock();
            try {
                if (this.isRemoved) {
                    return false;
                }
                held.own = own;
                boolean isDone = false;
                try {
                    Moment now = now();
                    if (entering != null) {
                        entering.cell = this;
                        if (Engine.this.stopped) {
                            // The cell may have been created after the stop of all others.
                            this.lock.stop(now);
                        }
                    }
                    input.accept(this.lock, now);
                    if (this.lock.dueAt < (this.isCalled ? this.due : Moment.NEVER)
                            || (this.lock.isHeld && this.isCalled && !this.isAmongHeld)) {
                        Engine.this.watchdog.call(this, this.lock.dueAt, this.lock.isHeld);
                        this.isCalled = true;
                    }
                    this.wasSeenIdle = false;
                    if (!Engine.this.hasIdleCells && this.lock.isIdle()) {
                        Engine.this.hasIdleCells = true;
                    }
                    isDone = true;
                } finally {
                    // Plain writes, because a call could fail as well.
                    taken = held.taken;
                    if (!isDone) {
                        if (taken != null) {
                            taken.isUnsettled = true;
                            taken.nextUnsettled = this.unsettled;
                            this.unsettled = taken;
                        }
                        if (entering != null) {
                            entering.isAbandoned = true;
                        }
                        this.needsRepair = true;
                        Engine.this.needsRepair = true;
                    }
                    boolean delivers = isDone && !this.isDelivering;
                    Effect added = held.first;
                    if (delivers && this.first == null) {
                        effect = added;
                    } else {
                        if (added != null) {
                            Effect before = this.last;
                            if (before == null) {
                                this.first = added;
                            } else {
                                before.next = added;
                            }
                            this.last = held.last;
                        }
                        if (delivers) {
                            effect = this.first;
                            this.first = null;
                            this.last = null;
                        }
                    }
                    this.isDelivering |= effect != null;
                    held.own = null;
                    held.taken = null;
                    held.first = null;
                    held.last = null;
                }
            } finally {
                held.unlock();
            }
            boolean delivers = effect != null;
            int rounds = renewals != null ? 1 : MOST_ROUNDS;
            try {
                while (delivers) {
                    for (; effect != null; effect = effect.next) {
                        execute(effect, renewals);
                    }
                    held.lock();
                    try {
                        this.isDelivering = false;
                        delivers = false;
                        if (--rounds > 0 && this.first != null) {
                            effect = this.first;
                            this.first = null;
                            this.last = null;
                            this.isDelivering = true;
                            delivers = true;
                        } else if (this.first != null) {
                            Engine.this.watchdog.call(this, nanos(), this.lock.isHeld);
                            this.isCalled = true;
                        } else if (Engine.this.cells.size() > MOST_CELLS && this.lock.isIdle()) {
                            remove();
                        }
                    } finally {
                        held.unlock();
                    }
                }
                if (own != null && taken != null) {
                    execute(own, taken);
                }
            } catch (Throwable ex) {
                if (delivers) {
                    this.undelivered = effect;
                    this.isStalled = true;
                }
                this.needsRepair = true;
                Engine.this.needsRepair = true;
                if (taken != null) {
                    unsettled(taken);
                }
                throw ex;
            }
            if (Engine.this.stopped) {
                // Also after an input without effects, such as the last reply.
                signalEnd();
            }
            return true;
        }

        private void remove() {
            if (this.first == null && !this.isDelivering) {
                this.isRemoved = true;
                Engine.this.cells.remove(this.lock.name, this);
                Engine.this.watchdog.forget(this);
            }
        }

        private void execute(Effect effect, Watchdog.@Nullable Renewals renewals) {
            if (effect instanceof Sent sent) {
                if (renewals != null && sent.command instanceof Command.Renew) {
                    renewals.add(this, sent);
                } else {
                    sendNow(sent);
                }
            } else {
                ((Notification) effect).run();
            }
        }

        /** Executes a command on the thread of its caller. */
        private void execute(OwnCommand own, Sent sent) {
            boolean interruptible = own.isInterruptible();
            boolean interrupted = false;
            Reply reply = null;
            Throwable failure = null;
            boolean repeated = false;
            do {
                try {
                    interrupted |= !interruptible && Thread.interrupted();
                    failure = null;
                    reply = Engine.this.store.call(sent.command);
                } catch (Throwable ex) {
                    failure = ex;
                    repeated = !interruptible && Thread.interrupted();
                    interrupted |= repeated;
                }
            } while (failure != null && repeated && !Engine.this.stopped);
            if (repeated
                    && sent.command instanceof Command.Release
                    && (reply instanceof Reply.NotOwner || reply instanceof Reply.LeftLine)) {
                // It may have been executed before the interrupt.
                reply = Reply.Released.INSTANCE;
            }
            try {
                if (reply == null) {
                    own.failed(toStoreException(failure));
                }
                settle(sent, reply, failure);
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            if (failure instanceof Error error) {
                throw error;
            }
        }

        /** Sends a command without waiting for the reply, when it is its turn. */
        void sendNow(Sent sent) {
            if (CommandWindow.counts(sent)) {
                Engine.this.turns.lock();
                try {
                    if (!Engine.this.window.enter(sent)) {
                        return;
                    }
                } finally {
                    Engine.this.turns.unlock();
                }
            }
            write(sent);
        }

        private void write(Sent sent) {
            boolean counts = CommandWindow.counts(sent);
            boolean isWritten = false;
            try {
                CompletionStage<Reply> reply = Engine.this.store.send(sent.command);
                CompletionStage<?> unused = reply.whenComplete((answer, failure) -> {
                    try {
                        completed(sent, answer, failure, false);
                    } finally {
                        if (counts) {
                            Engine.this.writeNext();
                        }
                    }
                });
                isWritten = true;
            } finally {
                if (counts && !isWritten) {
                    Engine.this.writeNext();
                }
            }
        }

        /**
         * As {@link #settle}, but does not throw.
         *
         * @param hasRoom whether the stack is known to have room, because the thread is none of users
         */
        void completed(Sent sent, @Nullable Reply reply, @Nullable Throwable failure, boolean hasRoom) {
            try {
                if (!hasRoom) {
                    StackRoom.require();
                }
                settle(sent, reply, failure);
            } catch (Throwable ex) {
                unsettled(sent);
                logger.debug("The outcome of a command was not processed.", ex);
            }
        }

        /** Has the watchdog report an unknown outcome, because the outcome could not be processed. */
        private void unsettled(Sent sent) {
            if (!sent.isSettled) {
                if (!sent.isUnsettled) {
                    sent.isUnsettled = true;
                    sent.nextUnsettled = this.unsettled;
                    this.unsettled = sent;
                }
                failed();
            }
        }

        /** Has the watchdog repair the lock. */
        void failed() {
            this.needsRepair = true;
            Engine.this.needsRepair = true;
        }

        /** Reports the outcome of a command. One of the two is null. */
        private void settle(Sent sent, @Nullable Reply reply, @Nullable Throwable failure) {
            boolean unused = apply(
                    (local, now) -> {
                        if (sent.isSettled) {
                            return;
                        }
                        sent.isSettled = true;
                        if (reply != null) {
                            Engine.this.repliedAt = now.nanos();
                        }
                        if (sent.command instanceof Command.Renew) {
                            // Moves the call for a late reply. It would come for each of many locks, for nothing.
                            this.isCalled = false;
                        }
                        if (reply != null && !(reply instanceof Reply.Failed)) {
                            local.replied(sent, reply, now);
                        } else {
                            local.failed(
                                    sent,
                                    reply instanceof Reply.Failed failed
                                            ? new LockStoreException(failed.message(), null, false, true)
                                            : toStoreException(failure),
                                    now);
                        }
                    },
                    null,
                    null);
        }

        /** The time that the lock has requested. Called by the watchdog, which has taken the cell out of its wheel. */
        void timeReached(Watchdog.Renewals renewals) {
            boolean unused = apply(
                    (local, now) -> {
                        this.isCalled = false;
                        if (local.dueAt <= now.nanos()) {
                            local.timeReached(now);
                        }
                    },
                    null,
                    renewals);
        }

        boolean isIdle() {
            boolean[] isIdle = new boolean[1];
            inspect(local -> isIdle[0] = local.isIdle());
            return isIdle[0];
        }

        void inspect(Consumer<LocalLock> inspection) {
            this.mutex.lock();
            try {
                inspection.accept(this.lock);
            } finally {
                this.mutex.unlock();
            }
        }

        /** Removes the cell if it is idle, and has been since the call before. */
        void removeIfIdle() {
            this.mutex.lock();
            try {
                if (!this.isRemoved && this.lock.isIdle()) {
                    if (this.wasSeenIdle) {
                        remove();
                    } else {
                        this.wasSeenIdle = true;
                        Engine.this.hasIdleCells = true;
                    }
                }
            } finally {
                this.mutex.unlock();
            }
        }

        /** Goes on after an error of another thread, on a stack that is not exhausted. */
        void repair(boolean always) {
            if (!this.needsRepair && !always) {
                return;
            }
            this.needsRepair = false;
            Sent left = this.unsettled;
            this.unsettled = null;
            try {
                for (; left != null; left = left.nextUnsettled) {
                    settle(left, null, unknown("The outcome of the command could not be processed.", null));
                }
            } finally {
                while (left != null) {
                    Sent next = left.nextUnsettled;
                    left.isUnsettled = false;
                    unsettled(left);
                    left = next;
                }
            }
            if (this.isStalled) {
                Effect failed = this.undelivered;
                if (failed instanceof Sent sent) {
                    // It may have been sent.
                    settle(sent, null, unknown("The command could not be sent.", null));
                    failed = sent.next;
                }
                continueWith(failed);
            }
            boolean unused = input((local, now) -> {
                // A call of the watchdog may have failed.
                this.isCalled = false;
                local.repair(now);
            });
        }

        /** Has the next input execute the effects that another thread has not executed, before those that were added since. */
        private void continueWith(@Nullable Effect failed) {
            this.mutex.lock();
            try {
                Effect end = failed;
                while (end != null && end.next != null) {
                    end = end.next;
                }
                if (end != null) {
                    end.next = this.first;
                    this.first = failed;
                    this.last = this.last != null ? this.last : end;
                }
                this.undelivered = null;
                this.isStalled = false;
                this.isDelivering = false;
            } finally {
                this.mutex.unlock();
            }
        }

        // ---- Effects, called under the mutex

        private void append(Runnable notification) {
            append(new Notification() {

                @Override
                void run() {
                    notification.run();
                }
            });
        }

        private void append(Effect effect) {
            Mutex held = this.mutex;
            Effect before = held.last;
            if (before == null) {
                held.first = effect;
            } else {
                before.next = effect;
            }
            held.last = effect;
        }

        @Override
        public String id(GrantKind kind) {
            return kind.idOf(Engine.this.ids.next());
        }

        @Override
        public long below(long bound) {
            return ThreadLocalRandom.current().nextLong(bound);
        }

        @Override
        public void send(Sent sent) {
            Mutex held = this.mutex;
            if (held.own != null && held.taken == null && held.own.takes(sent)) {
                held.taken = sent;
            } else {
                append(sent);
            }
        }

        @Override
        public int withdraw(LocalLock.Stake stake) {
            Engine.this.turns.lock();
            try {
                return Engine.this.window.withdraw(stake);
            } finally {
                Engine.this.turns.unlock();
            }
        }

        @Override
        public void granted(Waiter waiter, Grant grant, Way way) {
            append(new Notification() {

                @Override
                void run() {
                    Wait wait = (Wait) waiter;
                    Engine.this.observer.granted(wait, grant, way);
                    wait.granted(grant, way);
                    if (wait.isAbandoned) {
                        grant.isUnclaimed = true;
                        failed();
                    }
                }
            });
            // Follows what allocates: without memory, the grant does not begin.
            grant.isCounted = true;
            Engine.this.live.incrementAndGet();
        }

        @Override
        public void refused(Waiter waiter, Refusal refusal) {
            boolean isUnexplained = refusal.cause() == Refusal.Cause.STORE_FAILED && refusal.failure() == null;
            LockStoreException failure = !isUnexplained
                    ? refusal.failure()
                    : Engine.this.window.waiting() > 0 ? overload() : silence((Wait) waiter);
            Refusal explained =
                    new Refusal(refusal.cause(), failure, refusal.owner(), refusal.used(), refusal.mayBeGranted());
            append(() -> {
                Engine.this.observer.refused((Wait) waiter, explained);
                ((Wait) waiter).refused(explained);
            });
        }

        private LockStoreException silence(Wait wait) {
            long timeout = Engine.this.rules.commandTimeout();
            long lease = wait.terms.lease();
            return unknown(
                    Engine.this.store.description() + ", did not answer a command for lock '"
                            + Engine.this.observer.shownName(this.lock.name) + "' (no reply within "
                            + Math.min(lease, timeout) / Moment.MILLI + " ms"
                            + (lease < timeout ? ", its lease, which must be longer than a reply takes" : "")
                            + "). It is unknown whether the command was executed.",
                    null);
        }

        private LockStoreException overload() {
            return new LockStoreException(
                    "Lock '" + Engine.this.observer.shownName(this.lock.name)
                            + "' was not requested in time: this instance requests locks faster than the store answers, and "
                            + Engine.this.window.waiting()
                            + " requests wait to be sent. Limit the number of concurrent calls, or find out why the store or"
                            + " this JVM is slow.",
                    null,
                    false,
                    true);
        }

        @Override
        public void renewed(Grant grant, Moment sentAt) {
            append(() -> Engine.this.observer.renewed(grant, sentAt));
        }

        @Override
        public void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause) {
            append(() -> Engine.this.observer.renewalFailed(grant, sentAt, cause));
        }

        @Override
        public void atRisk(Grant grant, @Nullable LockStoreException cause) {
            append(() -> Engine.this.observer.atRisk(grant, cause));
        }

        @Override
        public void recovered(Grant grant) {
            append(() -> Engine.this.observer.recovered(grant));
        }

        @Override
        public void lost(Grant grant, LossReason reason) {
            append(() -> Engine.this.observer.lost(grant, reason));
            ended(grant);
        }

        @Override
        public void released(Grant grant, @Nullable LockStoreException failure) {
            append(new Notification() {

                @Override
                void run() {
                    Engine.this.observer.released(grant, failure);
                    Runnable whenReleased = grant.whenReleased;
                    grant.whenReleased = null;
                    if (whenReleased != null) {
                        whenReleased.run();
                    }
                }
            });
            ended(grant);
        }

        @Override
        public void taken(String owner) {
            append(() -> Engine.this.observer.taken(owner));
        }

        @Override
        public void waitsForStore(LockStoreException cause) {
            append(() -> Engine.this.observer.waitsForStore(this.lock.name, cause));
        }

        private void ended(Grant grant) {
            if (grant.isCounted) {
                grant.isCounted = false;
                Engine.this.live.decrementAndGet();
            }
        }
    }

    private static LockStoreException toStoreException(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof LockStoreException expected ? expected : unknown("The lock store failed.", cause);
    }

    private static LockStoreException unknown(String message, @Nullable Throwable cause) {
        return new LockStoreException(message, cause, true, true);
    }
}
