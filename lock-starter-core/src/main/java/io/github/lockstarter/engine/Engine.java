package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
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
import io.github.lockstarter.store.Notice;
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
 * Runs the locks of one registry from its start to its stop. It has a map of {@link LocalLock}s, guards each of them by
 * a mutex, executes their effects, and calls them in time. Safe for use by several threads.
 */
public final class Engine implements StoreListener {

    /*
     * Implementation note.
     *
     * Inputs. Each input of a lock holds the mutex of the lock. It is short, and neither I/O nor a callback happens
     * during it. The clock is read under the mutex, so time never runs backwards for a lock. All locks share 256
     * mutexes, because a separate mutex would take a tenth of the memory of each lock. No thread holds two of them.
     *
     * Effects. They leave through a Delivery, in the order of the inputs. If other threads append effects faster than a
     * thread executes them, that thread stops after some rounds (MAX_ROUNDS), and the next input or the watchdog
     * continues. A blocking caller executes one command itself, the command of its own call, after the effects.
     *
     * Commands. Each command has exactly one outcome (Sent.isSettled), even if a store reports two.
     *
     * Errors. A StackOverflowError or an OutOfMemoryError can be thrown at any method call. If the stack has no room
     * for an input, the input fails before it has changed anything (StackRoom). After any other error, the lock fails
     * as a whole (Delivery); the housekeeping ensures this if no other input follows. If an error keeps an owner from
     * releasing its grant, the housekeeping gives the grant back.
     *
     * Messages. One about a forced release, or a request, must reach an owner that has never waited. Therefore the
     * store listens for messages when two calls of the housekeeping in a row, about a second apart, have found that
     * this instance holds locks. An instance that holds locks for moments only needs no subscription.
     *
     * Idle locks. They stay in the map for one to two seconds, because a lock that is used again and again would
     * otherwise be created each time. If there are more than MAX_CELLS locks, idle locks are removed immediately.
     */

    /** Observes grants and waits, for events, meters and the log. */
    public interface Observer extends GrantObserver {

        /** The wait has ended with a grant. Called before {@link Wait#granted}. */
        void granted(Wait wait, Grant grant, Effects.Way way);

        /** The wait has ended without a grant. Called before {@link Wait#refused}. */
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

    /** Number of locks above which idle locks are removed immediately. */
    private static final int MAX_CELLS = 10_000;

    /** The number of mutexes, a power of two. */
    private static final int MUTEXES = 256;

    /**
     * Maximum number of messages in a second that may name an acquisition that this instance does not have. Each of
     * them causes a release, which precedes the commands that locks need.
     */
    private static final int MAX_UNKNOWN_IDS = 100;

    /**
     * Maximum number of messages about grants in a second that are processed, because each of them may be forged. One
     * about a forced release costs a command; the owner of any other notices its loss at its next renewal.
     */
    private static final int MAX_NOTICES = 1_000;

    /**
     * Maximum number of rounds in which a thread executes effects that other threads have appended, and of waiting
     * commands that it writes in a row. The watchdog executes one round of effects, because other locks wait for its
     * call.
     */
    private static final int MAX_ROUNDS = 64;

    final LockStore store;

    private final Rules rules;

    private final Observer observer;

    private final LeaseClock clock;

    private final AcquisitionIds ids;

    /** The engine whose store this one shares, or {@code null} if this one starts and stops the store. */
    private @Nullable Engine host;

    /** The engine that shares the store of this one, or {@code null} if there is none. */
    private volatile @Nullable Engine guest;

    private final Watchdog watchdog;

    /** Reading of the clock that corresponds to time 0. It is one hour before the start, which keeps times positive. */
    private final long origin;

    private final ConcurrentMap<String, Cell> cells = new ConcurrentHashMap<>();

    private final Mutex[] mutexes = new Mutex[MUTEXES];

    private final AtomicInteger live = new AtomicInteger();

    /** Guards the window and {@link #isWriting}. Acquired under the mutex of a lock, not the other way round. */
    private final ReentrantLock turns = new ReentrantLock();

    private final CommandWindow window = new CommandWindow(CommandWindow.SIZE);

    private volatile boolean isWriting;

    /** Number of messages about unknown acquisitions since the last housekeeping. */
    private final AtomicInteger unknownIds = new AtomicInteger();

    /** Number of messages about grants since the last housekeeping. */
    private final AtomicInteger notices = new AtomicInteger();

    /** Number of outcomes that were not reported to the window yet. */
    private final AtomicInteger outcomes = new AtomicInteger();

    private final ReentrantLock stopping = new ReentrantLock();

    private final Condition mayHaveEnded = this.stopping.newCondition();

    private volatile boolean stopped;

    /** Time at which the store last replied, or {@link Moment#BEFORE} if it has not replied. */
    private volatile long repliedAt = Moment.BEFORE;

    /** Whether this instance held locks at the last housekeeping. */
    private boolean hasHeld;

    /** Whether cells may have become idle since the housekeeping last checked all of them. */
    private volatile boolean hasIdleCells;

    // Written without a call, because the stack of the thread may be exhausted

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

    /**
     * Creates an engine that shares the store of another one, and has locks of other names. It must be started after
     * its host and stopped before it. Only one engine at a time can share a store. No other instance waits for its
     * locks, so that its stop waits for no release.
     */
    Engine(Engine host, Observer observer) {
        this(host.store, host.rules, observer, host.clock, new AcquisitionIds());
        this.host = host;
    }

    // ---- Life

    public void start() {
        this.watchdog.start();
        if (this.host != null) {
            this.host.guest = this;
        } else {
            this.store.start(this.ids.instance(), this);
        }
    }

    /**
     * Stops the engine. Refuses all waiters, lets owners end their work for at most the given time, and then declares
     * the remaining grants lost. Their keys are not released.
     */
    public void stop(Duration shutdownTimeout) {
        this.stopped = true;
        this.cells.values().forEach(cell -> cell.input((lock, now) -> lock.stop(now)));
        await(shutdownTimeout, () -> this.live.get() == 0);
        if (this.live.get() > 0) {
            this.cells.values().forEach(cell -> cell.input((lock, now) -> lock.giveUp(now)));
        }
        // Releases may be under way. Without them, the waiters of other instances would wait for the ends of leases.
        await(
                this.host != null ? Duration.ZERO : Duration.ofNanos(this.rules.commandTimeout()),
                () -> this.cells.values().stream().allMatch(Cell::isIdle));
        this.cells.values().forEach(cell -> cell.input((lock, now) -> lock.giveUp(now)));
        this.watchdog.stop();
        if (this.host != null) {
            this.host.guest = null;
        } else {
            this.store.stop();
        }
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
     * Acquires the lock on the calling thread, which executes the first command and waits.
     *
     * @return whether the wait has ended with a grant; otherwise it has a refusal
     * @throws InterruptedException if the wait is interruptible and the thread was interrupted and has no grant
     */
    public boolean acquire(ThreadWait wait) throws InterruptedException {
        if (wait.interruptible && Thread.interrupted()) {
            throw new InterruptedException();
        }
        try {
            return await(wait);
        } catch (RuntimeException | Error ex) {
            // Fields are written without a call, because the stack may be exhausted.
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
                // The watchdog makes the same call, but may be late.
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
        // The interrupt may have arrived during the command that this thread executed.
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
     * Adds a wait to its lock, and does not wait for its end. The outcome is reported to the wait, possibly before this
     * method returns.
     *
     * @param own selects the command that this thread executes itself, or {@code null} if there is none
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

    /**
     * Ends a wait.
     *
     * @return {@code false} if the wait has already ended and its outcome is reported
     */
    public boolean withdraw(Wait wait) {
        Cell cell = wait.cell;
        boolean[] withdrawn = new boolean[1];
        if (cell != null) {
            cell.input((lock, now) -> withdrawn[0] = lock.withdraw(wait, Refusal.Cause.WITHDRAWN, now));
        }
        return withdrawn[0];
    }

    /** Returns how many callers of this JVM may wait for the lock of the request. */
    public int maxWaiters(LockRequest request) {
        return this.rules.maxWaiters(request);
    }

    /** Returns the refusal of a wait that would exceed its limit of waiters if it entered its lock now, or null. */
    @Nullable
    public Refusal refusalByLimit(Wait wait) {
        @Nullable Refusal[] refusal = new Refusal[1];
        if (maxWaiters(wait.request) < Integer.MAX_VALUE) {
            inspect(wait.request.lockName(), lock -> refusal[0] = lock.refusalByLimit(wait));
        }
        return refusal[0];
    }

    // ---- Grants

    /**
     * Releases the grant, and waits for the reply of the store. Has no effect after the first call.
     *
     * @return {@code false} if the grant was lost, {@code true} otherwise and also if it is unknown whether it was lost
     */
    public boolean release(Grant grant) {
        // The owner of a lost grant must not wait for a store that may not answer.
        OwnCommand own = sent -> sent.acquisition == grant.acquisition
                && sent.command instanceof Command.Release
                && grant.state != Grant.State.LOST;
        change(grant, (lock, now) -> lock.release(grant, now), own);
        return grant.state != Grant.State.LOST;
    }

    /**
     * Releases the grant without waiting for the reply of the store.
     *
     * @param whenOver called once, on any thread and possibly before this method returns; must neither block nor throw
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

    /**
     * Renews the grant with the given lease in nanoseconds, and waits for the reply.
     *
     * @return the failure, or {@code null} if the store has answered
     */
    @Nullable
    public LockStoreException lengthen(Grant grant, long lease) {
        @Nullable LockStoreException[] failure = new LockStoreException[1];
        change(grant, (lock, now) -> lock.lengthen(grant, lease, now), new OwnCommand() {

            @Override
            public boolean takes(Sent sent) {
                // A downgrade without a reply is sent instead of a renewal.
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
     * Turns the grant of a writer into a grant of a reader, and waits for the reply of the store.
     *
     * @return the grant of the reader, or {@code null} if the grant of the writer was not live
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

    /** Applies an input to the lock of the grant. */
    public void change(Grant grant, BiConsumer<LocalLock, Moment> input) {
        change(grant, input, null);
    }

    private void change(Grant grant, BiConsumer<LocalLock, Moment> input, @Nullable OwnCommand own) {
        StackRoom.require();
        String lockName = grant.request.lockName();
        // The lock may have been removed and created again after the grant was lost.
        while (!cell(lockName).input(input, own, null)) {}
    }

    /**
     * Returns the nanoseconds for which the owner may rely on the grant, or 0 if it has ended. If the deadline has
     * passed, the loss is noted before this method returns.
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
        // A client that may publish messages must not be able to end a grant of another instance by its id.
        if (!this.ids.isOwn(id)) {
            Engine other = this.guest;
            if (other != null && other.ids.isOwn(id)) {
                other.granted(lock, id, token);
            } else {
                messageRejected();
            }
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
    public void notified(String lock, String id, Notice notice) {
        if (!this.ids.isOwn(id) || this.notices.get() >= MAX_NOTICES) {
            messageRejected();
        } else {
            boolean unused = process(lock, id, notice);
        }
    }

    /**
     * Processes a notice about an id of this instance.
     *
     * @return whether an owner of the id is asked to release its grant
     */
    public boolean process(String lock, String id, Notice notice) {
        Cell cell = this.cells.get(lock);
        boolean[] isAsked = new boolean[1];
        if (cell != null) {
            // A message is late if the id is unknown.
            cell.input((local, now) -> {
                if (local.knows(id)) {
                    this.notices.incrementAndGet();
                    if (notice == Notice.RELEASE_REQUESTED) {
                        isAsked[0] = local.releaseRequested(id);
                    } else {
                        local.revoked(id, now);
                    }
                }
            });
        }
        return isAsked[0];
    }

    @Override
    public void messageRejected() {
        this.observer.messageRejected();
    }

    @Override
    public void notificationsMayBeLost() {
        Engine other = this.guest;
        if (other != null) {
            other.notificationsMayBeLost();
        }
        this.cells.values().forEach(cell -> cell.input((lock, now) -> lock.notificationsMayBeLost(now)));
    }

    @Override
    public void serverChanged() {
        Engine other = this.guest;
        if (other != null) {
            other.serverChanged();
        }
        this.cells.values().forEach(cell -> cell.input((lock, now) -> lock.serverChanged(now)));
    }

    // ---- Inspection

    /**
     * Visits the live grants. The iteration is weakly consistent. The visitor is called under mutexes and must not
     * block.
     *
     * @param lockName name of the lock, or {@code null} for all locks
     */
    public void forEachGrant(@Nullable String lockName, Consumer<Grant> visitor) {
        inspect(lockName, lock -> lock.forEachGrant(visitor));
    }

    /** Visits the waits, for each lock in the order of arrival. The conditions of {@link #forEachGrant} apply. */
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

    /** Returns whether a reply has shown that the store has set the full lease of the grant. */
    public boolean isConfirmed(Grant grant) {
        boolean[] confirmed = new boolean[1];
        inspect(grant.lockName(), lock -> confirmed[0] = lock.isConfirmed(grant));
        return confirmed[0];
    }

    /**
     * Lets the housekeeping release a grant that its owner cannot release because the stack is exhausted. Only writes
     * fields.
     */
    public void unclaimed(Grant grant) {
        grant.isUnclaimed = true;
        this.hasUnclaimed = true;
    }

    /**
     * Runs a task later.
     *
     * @see Watchdog#later
     */
    public boolean later(Runnable task, long delayNanos) {
        return this.watchdog.later(task, delayNanos);
    }

    /** Returns whether a command that is sent now needs no thread, and waits neither for one nor for the window. */
    public boolean sendsImmediately() {
        return this.store.sendsWithoutThread() && this.window.waiting() == 0;
    }

    public boolean isStopped() {
        return this.stopped;
    }

    /**
     * Returns the time at which the store last replied to a command of a lock, or {@link Moment#BEFORE} if it has not
     * replied.
     */
    public long repliedAt() {
        return this.repliedAt;
    }

    /** Returns the delay with which the watchdog runs. */
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
            // An error in the function of computeIfAbsent(), such as an exhausted stack, would block the key for ever.
            cell = this.cells.putIfAbsent(lockName, created);
            cell = cell != null ? cell : created;
            if (this.stopped) {
                // The cell may have been created after all others were stopped.
                cell.input((lock, now) -> lock.stop(now));
            }
        }
        return cell;
    }

    // ---- Commands that wait for their turn

    /** Notes the outcome of a command, and writes commands that have waited for it. */
    private void writeNext() {
        this.outcomes.incrementAndGet();
        writeWaiting();
    }

    /**
     * Writes waiting commands as far as the window has room. Only one thread at a time does so, because commands that
     * fail immediately would otherwise nest. A thread stops after some rounds, because it may be the thread of the
     * watchdog. After an error, the housekeeping continues.
     */
    private void writeWaiting() {
        try {
            if (!beginWriting()) {
                return;
            }
            int rounds = MAX_ROUNDS;
            for (Sent next = nextTurn(--rounds > 0); next != null; next = nextTurn(--rounds > 0)) {
                // A lock with an open attempt is not idle, so its cell is present.
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
        this.notices.set(0);
        boolean holds = this.live.get() > 0;
        if (holds && this.hasHeld) {
            this.store.listen();
        }
        this.hasHeld = holds;
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

    /** A mutex that many locks share, and the results of the input that holds it. */
    @SuppressWarnings("serial")
    private static final class Mutex extends ReentrantLock {

        private final Delivery.Collected collected = new Delivery.Collected();
    }

    /**
     * One lock with its state machine, its mutex and the execution of its effects. It is an entry in the wheel of the
     * watchdog.
     */
    final class Cell extends Watchdog.Watched implements Delivery.Driver {

        private final Mutex mutex;

        private final Delivery delivery;

        // Guarded by the mutex

        private boolean isRemoved;

        /**
         * Whether the watchdog will call the lock at the time of the entry, which may be earlier than the lock
         * requires.
         */
        private boolean isCalled;

        /** Whether the housekeeping has found the cell idle and no input has arrived since. */
        private boolean wasSeenIdle;

        Cell(String name) {
            this.mutex = Engine.this.mutexes[name.hashCode() & (MUTEXES - 1)];
            this.delivery = new Delivery(name, Engine.this.rules, this, this.mutex.collected);
        }

        private LocalLock lock() {
            return this.delivery.lock;
        }

        /** Applies an input to the lock, and executes the effects. Checks first that the stack has room. */
        void input(BiConsumer<LocalLock, Moment> input) {
            StackRoom.require();
            boolean unused = input(input, null, null);
        }

        /**
         * Applies an input to the lock, and executes effects until there are none, unless another thread is executing
         * them. The stack must have room.
         *
         * @param own selects the command that this thread executes itself, or {@code null} if there is none
         * @param renewals collects renewals, or {@code null} if they are sent immediately
         * @return {@code false} if the cell was removed and the input was not applied
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
                // An input without effects, such as the last reply, may have made the lock idle as well.
                signalEnd();
            }
            return true;
        }

        /** Executes the given effects, and effects that are added during this time. */
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
                // The release may have been executed before the interrupt.
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

        /** Sends a command without waiting for the reply, or lets it wait until the window has room. */
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
         * Reports an outcome as {@link #settle} does, but does not throw.
         *
         * @param hasRoom whether the stack is known to have room, because the thread does not run code of users
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

        /** Lets the lock fail, because a fact is missing. */
        @Override
        void failed() {
            this.delivery.failed();
            Engine.this.hasFailed = true;
        }

        /** Reports the outcome of a command. Exactly one of reply and failure is not null. */
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
                            // The scheduled call would check for a late reply. It is replaced, because it would be
                            // useless for each of many locks.
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

        /**
         * Calls the lock at the time that it has requested. The watchdog has removed the cell from its wheel before.
         */
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

        /** Removes the cell if it is idle and has been idle since the previous call. */
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

        /** Continues after an error of another thread. */
        private void goOn() {
            try {
                if (this.delivery.mustGoOn()) {
                    input((local, now) -> this.isCalled = false);
                }
            } catch (Throwable ex) {
                // The failure concerns only this lock, and is handled again later.
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
        public void releaseRequested(Grant grant) {
            Engine.this.observer.releaseRequested(grant);
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
