package io.github.lockstarter.engine;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lock.Acquisition;
import io.github.lockstarter.lock.CommandWindow;
import io.github.lockstarter.lock.Delivery;
import io.github.lockstarter.lock.Effect;
import io.github.lockstarter.lock.Effects;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.GrantObserver;
import io.github.lockstarter.lock.LocalLock;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.OwnCommand;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.lock.Rules;
import io.github.lockstarter.lock.Sent;
import io.github.lockstarter.lock.Waiter;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StackRoom;
import io.github.lockstarter.store.StoreListener;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
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
 * Runs the locks of one registry, from its start to its stop: a map of {@link LocalLock}s, each with a mutex, the
 * execution of their effects, and the time. Safe for use by several threads.
 */
public final class Engine implements StoreListener {

    /*
     * Implementation note.
     *
     * Inputs. Each input of a lock takes its mutex for the time of the input, which is short: no I/O, no callback. Time
     * is read under the mutex, so that it never runs backwards for a lock. Locks share 256 mutexes, because one of its
     * own would be a tenth of the memory of each; no thread takes two.
     *
     * Effects leave by a Delivery, in the order of the inputs. A thread that executes them is relieved by the next
     * input or by the watchdog when others append faster than it executes. A blocking caller executes one command
     * itself, that of its own call, after the effects.
     *
     * Commands have exactly one outcome each (Sent.isSettled), even if a store reports two.
     *
     * Errors. A StackOverflowError or an OutOfMemoryError can be thrown wherever a method is called. An input fails
     * before it has changed anything if the stack has no room for it. For all else, the lock fails as a whole
     * (Delivery), and the housekeeping sees to that if no other input does. A grant that its owner cannot release
     * because of an error is given back by the housekeeping.
     *
     * Idle locks stay in the map for one to two seconds, so that a lock that is used again and again is not created
     * each time. With more than MAX_CELLS locks they are removed at once.
     */

    /** What happens to grants and waits, for events, meters and the log. */
    public interface Observer extends GrantObserver {

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

    private static final int MAX_CELLS = 10_000;

    /** A power of two. */
    private static final int MUTEXES = 256;

    /**
     * How many messages a second may name an acquisition that this instance does not know. Each is answered with a
     * release, which goes before what locks need.
     */
    private static final int MAX_UNKNOWN_IDS = 100;

    /** How often one thread takes effects that others have appended meanwhile. The watchdog has other locks to call. */
    private static final int MAX_ROUNDS = 64;

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

    // Written without a call, by threads whose stack is exhausted

    /** Whether a lock may have failed. */
    private volatile boolean hasFailed;

    /** Whether there may be a grant that its owner cannot release. */
    private volatile boolean hasUnclaimed;

    public Engine(LockStore store, Rules rules, Observer observer, LeaseClock clock, AcquisitionIds ids) {
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

    public void start() {
        this.watchdog.start();
        this.store.start(this.ids.instance(), this);
    }

    /**
     * Refuses waiters, lets owners end their work for at most that time, and declares the remaining grants lost, whose
     * keys are not released.
     */
    public void stop(Duration shutdownTimeout) {
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
    public boolean acquire(ThreadWait wait) throws InterruptedException {
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
            this.hasUnclaimed = true;
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
    public void enter(Wait wait, @Nullable OwnCommand own) {
        StackRoom.require();
        Cell cell;
        do {
            // The cell may have been removed since it was found.
            cell = cell(wait.request.lockName());
            wait.cell = cell;
        } while (!cell.input(wait, own, null));
    }

    /** Ends a wait; returns false if it has ended, so that its outcome is on its way. */
    public boolean withdraw(Wait wait) {
        Cell cell = wait.cell;
        boolean[] withdrawn = new boolean[1];
        if (cell != null) {
            cell.input((lock, now) -> withdrawn[0] = lock.withdraw(wait, Refusal.Cause.WITHDRAWN, now));
        }
        return withdrawn[0];
    }

    // ---- Grants

    /**
     * Releases, and waits for the reply of the store. Does nothing if it was called before. Returns false if the grant
     * was lost; true also if that is unknown.
     */
    public boolean release(Grant grant) {
        // The owner of a lost grant does not wait for a store that may be silent.
        OwnCommand own = sent -> sent.acquisition == grant.acquisition
                && sent.command instanceof Command.Release
                && grant.state != Grant.State.LOST;
        change(grant, (lock, now) -> lock.release(grant, now), own);
        return grant.state != Grant.State.LOST;
    }

    /**
     * Releases without waiting for the reply of the store.
     *
     * @param whenOver called once, on any thread and possibly at once; must neither block nor throw
     */
    public void releaseLater(Grant grant, Runnable whenOver) {
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
    public LockStoreException lengthen(Grant grant, long lease) {
        @Nullable LockStoreException[] failure = new LockStoreException[1];
        change(grant, (lock, now) -> lock.lengthen(grant, lease, now), new OwnCommand() {

            @Override
            public boolean takes(Sent sent) {
                // A downgrade that has no reply yet is repeated instead.
                return sent.acquisition == grant.acquisition
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
    public Grant downgrade(Grant writer, Wait reader) {
        @Nullable Grant[] granted = new Grant[1];
        change(
                writer,
                (lock, now) -> granted[0] = lock.downgrade(writer, reader, now),
                sent -> sent.command instanceof Command.Downgrade);
        return granted[0];
    }

    /** Gives the lock of the grant an input about the grant. */
    public void change(Grant grant, BiConsumer<LocalLock, Moment> input) {
        change(grant, input, null);
    }

    private void change(Grant grant, BiConsumer<LocalLock, Moment> input, @Nullable OwnCommand own) {
        StackRoom.require();
        String lockName = grant.request.lockName();
        // A lost grant may have outlived the cell of its lock.
        while (!cell(lockName).input(input, own, null)) {}
    }

    /**
     * Returns the nanoseconds for which the owner may rely on the grant; 0: it has ended. A deadline that has passed is
     * a loss before this method returns.
     */
    public long remaining(Grant grant) {
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
        StackRoom.require();
        while (!cell(lock).input((local, now) -> notify(local, id, token, now), null, null)) {}
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
    public void forEachGrant(@Nullable String lockName, Consumer<Grant> visitor) {
        inspect(lockName, lock -> lock.forEachGrant(visitor));
    }

    /** Visits the waits in the order of arrival for each lock, as {@link #forEachGrant} does. */
    public void forEachWait(@Nullable String lockName, Consumer<Wait> visitor) {
        inspect(lockName, lock -> lock.forEachWaiter(each -> visitor.accept((Wait) each)));
    }

    private void inspect(@Nullable String lockName, Consumer<LocalLock> inspection) {
        Collection<Cell> found = lockName == null
                ? this.cells.values()
                : Stream.ofNullable(this.cells.get(lockName)).toList();
        found.forEach(cell -> cell.inspect(inspection));
    }

    /** Returns the number of grants that are live or being released. */
    public int liveGrants() {
        return this.live.get();
    }

    /** Returns whether a reply has shown that the store has the full lease of the grant. */
    public boolean isConfirmed(Grant grant) {
        boolean[] confirmed = new boolean[1];
        inspect(grant.lockName(), lock -> confirmed[0] = lock.isConfirmed(grant));
        return confirmed[0];
    }

    /**
     * Has the watchdog release a grant that its owner cannot release, because the stack is exhausted: only plain
     * writes.
     */
    public void unclaimed(Grant grant) {
        grant.isUnclaimed = true;
        this.hasUnclaimed = true;
    }

    /** Runs a task later, as {@link Watchdog#later} does. */
    public boolean later(Runnable task, long delayNanos) {
        return this.watchdog.later(task, delayNanos);
    }

    public boolean isStopped() {
        return this.stopped;
    }

    /** Returns when the store last replied to a command of a lock; {@link Moment#BEFORE}: never. */
    public long repliedAt() {
        return this.repliedAt;
    }

    /** Returns how late the watchdog is. */
    public Duration lag() {
        return this.watchdog.lag();
    }

    public Moment now() {
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
            if (this.stopped) {
                // It may have been created after the stop of all others.
                cell.input((lock, now) -> lock.stop(now));
            }
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
     * Writes commands that wait, as far as there is room. One thread does so at a time, so that commands which fail at
     * once do not nest, and not for long, because it may be that of the watchdog. After an error, the housekeeping goes
     * on.
     */
    private void writeWaiting() {
        try {
            if (!beginWriting()) {
                return;
            }
            int rounds = MAX_ROUNDS;
            for (Sent next = nextTurn(--rounds > 0); next != null; next = nextTurn(--rounds > 0)) {
                // A lock with an attempt that is open is not idle, and stays.
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
        if (this.hasFailed) {
            this.hasFailed = false;
            this.cells.values().forEach(Cell::goOn);
        }
        if (this.hasUnclaimed) {
            this.hasUnclaimed = false;
            giveBackUnclaimed();
        }
        if (this.hasIdleCells) {
            this.hasIdleCells = false;
            this.cells.values().forEach(Cell::removeIfIdle);
        }
        writeWaiting();
        this.observer.keepHouse();
    }

    private void giveBackUnclaimed() {
        List<Grant> unclaimed = new ArrayList<>();
        try {
            forEachGrant(null, grant -> {
                if (grant.isUnclaimed) {
                    unclaimed.add(grant);
                }
            });
            unclaimed.forEach(grant -> change(grant, (lock, now) -> lock.giveBack(grant, now)));
        } catch (Throwable ex) {
            this.hasUnclaimed = true;
            throw ex;
        }
    }

    /** A mutex, which many locks share, and what the input that holds it leaves. */
    @SuppressWarnings("serial")
    private static final class Mutex extends ReentrantLock {

        private final Delivery.Collected collected = new Delivery.Collected();
    }

    /**
     * One lock: its state machine, its mutex, and the execution of its effects. An entry in the wheel of the watchdog.
     */
    final class Cell extends Watchdog.Watched implements Delivery.Driver {

        private final Mutex mutex;

        private final Delivery delivery;

        // Guarded by the mutex

        private boolean isRemoved;

        /** Whether the watchdog calls, at the time that the entry has; that may be earlier than the lock wants it. */
        private boolean isCalled;

        /** Whether the housekeeping has found it idle, and nothing has happened since. */
        private boolean wasSeenIdle;

        Cell(String name) {
            this.mutex = Engine.this.mutexes[name.hashCode() & (MUTEXES - 1)];
            this.delivery = new Delivery(name, Engine.this.rules, this, this.mutex.collected);
        }

        private LocalLock lock() {
            return this.delivery.lock;
        }

        /** Gives the lock an input, and executes what follows, on a stack of unknown room. */
        void input(BiConsumer<LocalLock, Moment> input) {
            StackRoom.require();
            boolean unused = input(input, null, null);
        }

        /**
         * Gives the lock an input, and executes effects until there are none, unless another thread does already. The
         * stack must have room.
         *
         * @param own the command that this thread executes itself; null: none
         * @param renewals takes renewals instead of sending them; null: they are sent
         * @return false if the cell was removed, so that nothing has happened
         */
        boolean input(
                BiConsumer<LocalLock, Moment> input, @Nullable OwnCommand own, Watchdog.@Nullable Renewals renewals) {
            Mutex held = this.mutex;
            Effect effects;
            Sent taken = null;
            try {
                held.lock();
                try {
                    if (this.isRemoved) {
                        return false;
                    }
                    effects = this.delivery.input(input, now(), own);
                    taken = held.collected.taken;
                    held.collected.taken = null;
                    this.wasSeenIdle = false;
                    if (!Engine.this.hasIdleCells && this.delivery.lock.isIdle()) {
                        Engine.this.hasIdleCells = true;
                    }
                } finally {
                    held.unlock();
                }
                if (effects != null) {
                    deliver(effects, renewals);
                }
                if (own != null && taken != null) {
                    execute(own, taken);
                }
            } catch (Throwable ex) {
                if (taken != null && !taken.isSettled) {
                    this.delivery.failed();
                }
                Engine.this.hasFailed = true;
                throw ex;
            }
            if (Engine.this.stopped) {
                // Also after an input without effects, such as the last reply.
                signalEnd();
            }
            return true;
        }

        /** Executes these effects, and those that are added meanwhile. */
        private void deliver(Effect effects, Watchdog.@Nullable Renewals renewals) {
            @Nullable Effect effect = effects;
            int rounds = renewals != null ? 1 : MAX_ROUNDS;
            try {
                while (effect != null) {
                    for (; effect != null; effect = effect.next) {
                        if (renewals != null && effect instanceof Sent sent && sent.command instanceof Command.Renew) {
                            renewals.add(this, sent);
                        } else {
                            effect.execute(this);
                        }
                    }
                    this.mutex.lock();
                    try {
                        effect = this.delivery.next(--rounds > 0);
                        if (rounds <= 0 && this.delivery.isWaiting()) {
                            Engine.this.watchdog.call(this, nanos(), lock().isHeld);
                            this.isCalled = true;
                        } else if (Engine.this.cells.size() > MAX_CELLS && this.delivery.isIdle()) {
                            remove();
                        }
                    } finally {
                        this.mutex.unlock();
                    }
                }
            } catch (Throwable ex) {
                this.delivery.stalled(effect);
                throw ex;
            }
        }

        private void remove() {
            this.isRemoved = true;
            Engine.this.cells.remove(lock().name, this);
            Engine.this.watchdog.forget(this);
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
        @Override
        public void send(Sent sent) {
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
                failed();
                logger.debug("The outcome of a command was not processed.", ex);
            }
        }

        @Override
        void sendAlone(Sent renewal) {
            send(renewal);
        }

        @Override
        void renewalOver(Sent renewal, @Nullable Reply reply, @Nullable Throwable failure) {
            completed(renewal, reply, failure, true);
        }

        /** Something that the lock had to know is missing. */
        @Override
        void failed() {
            this.delivery.failed();
            Engine.this.hasFailed = true;
        }

        /** Reports the outcome of a command. One of the two is null. */
        private void settle(Sent sent, @Nullable Reply reply, @Nullable Throwable failure) {
            boolean unused = input(
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
        @Override
        void timeReached(Watchdog.Renewals renewals) {
            boolean unused = input(
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
            inspect(local -> isIdle[0] = this.delivery.isIdle());
            return isIdle[0];
        }

        void inspect(Consumer<LocalLock> inspection) {
            this.mutex.lock();
            try {
                inspection.accept(lock());
            } finally {
                this.mutex.unlock();
            }
        }

        /** Removes the cell if it is idle, and has been since the call before. */
        void removeIfIdle() {
            this.mutex.lock();
            try {
                if (!this.isRemoved && this.delivery.isIdle()) {
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

        /** Goes on after an error of another thread. */
        private void goOn() {
            try {
                if (this.delivery.mustGoOn()) {
                    input((local, now) -> this.isCalled = false);
                }
            } catch (Throwable ex) {
                // Of this lock only, and again later.
                logger.debug("A lock could not fail.", ex);
            }
        }

        // ---- The driver of the lock, called under the mutex

        @Override
        public void callAt(long dueAt, boolean isHeld) {
            if (dueAt < (this.isCalled ? this.due : Moment.NEVER) || (isHeld && this.isCalled && !this.isAmongHeld)) {
                Engine.this.watchdog.call(this, dueAt, isHeld);
                this.isCalled = true;
            }
        }

        @Override
        public LockStoreException failure() {
            return unknown(
                    "An error of this JVM, such as an exhausted heap or stack, has interrupted what it did with lock '"
                            + Engine.this.observer.shownName(lock().name)
                            + "'. It is unknown whether a command was executed.",
                    null);
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
        public int withdraw(Acquisition acquisition) {
            Engine.this.turns.lock();
            try {
                return Engine.this.window.withdraw(acquisition);
            } finally {
                Engine.this.turns.unlock();
            }
        }

        // ---- Effects, executed without the mutex by one thread at a time

        @Override
        public void granted(Waiter waiter, Grant grant, Way way) {
            Wait wait = (Wait) waiter;
            if (!grant.isCounted) {
                grant.isCounted = true;
                Engine.this.live.incrementAndGet();
            }
            Engine.this.observer.granted(wait, grant, way);
            wait.granted(grant, way);
            if (wait.isAbandoned) {
                unclaimed(grant);
            }
        }

        @Override
        public void refused(Waiter waiter, Refusal refusal) {
            boolean isUnexplained = refusal.cause() == Refusal.Cause.STORE_FAILED && refusal.failure() == null;
            LockStoreException failure = !isUnexplained
                    ? refusal.failure()
                    : Engine.this.window.waiting() > 0 ? overload() : silence((Wait) waiter);
            Refusal explained =
                    new Refusal(refusal.cause(), failure, refusal.owner(), refusal.used(), refusal.mayBeGranted());
            Engine.this.observer.refused((Wait) waiter, explained);
            ((Wait) waiter).refused(explained);
        }

        private LockStoreException silence(Wait wait) {
            long timeout = Engine.this.rules.commandTimeout();
            long lease = wait.terms.lease();
            return unknown(
                    Engine.this.store.description() + ", did not answer a command for lock '"
                            + Engine.this.observer.shownName(lock().name) + "' (no reply within "
                            + Math.min(lease, timeout) / Moment.MILLI + " ms"
                            + (lease < timeout ? ", its lease, which must be longer than a reply takes" : "")
                            + "). It is unknown whether the command was executed.",
                    null);
        }

        private LockStoreException overload() {
            return new LockStoreException(
                    "Lock '" + Engine.this.observer.shownName(lock().name)
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
            Engine.this.observer.renewed(grant, sentAt);
        }

        @Override
        public void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause) {
            Engine.this.observer.renewalFailed(grant, sentAt, cause);
        }

        @Override
        public void atRisk(Grant grant, @Nullable LockStoreException cause) {
            Engine.this.observer.atRisk(grant, cause);
        }

        @Override
        public void recovered(Grant grant) {
            Engine.this.observer.recovered(grant);
        }

        @Override
        public void lost(Grant grant, LossReason reason) {
            ended(grant);
            Engine.this.observer.lost(grant, reason);
        }

        @Override
        public void released(Grant grant, @Nullable LockStoreException failure) {
            ended(grant);
            Engine.this.observer.released(grant, failure);
            Runnable whenReleased = grant.whenReleased;
            grant.whenReleased = null;
            if (whenReleased != null) {
                whenReleased.run();
            }
        }

        @Override
        public void taken(String owner) {
            Engine.this.observer.taken(owner);
        }

        @Override
        public void waitsForStore(LockStoreException cause) {
            Engine.this.observer.waitsForStore(lock().name, cause);
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
