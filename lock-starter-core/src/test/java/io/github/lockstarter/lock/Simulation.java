package io.github.lockstarter.lock;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lock.Acquisition.Phase;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockState;
import io.github.lockstarter.store.LockTable;
import io.github.lockstarter.store.Reply;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One history of several JVMs, a store and the network between them, in one thread and on virtual time. The seed
 * decides everything.
 */
@SuppressWarnings({"OperatorPrecedence", "EnumOrdinal", "StaticAssignmentOfThrowable", "UnusedVariable"})
final class Simulation {

    /*
     * Implementation note.
     *
     * The locks of the JVMs are real LocalLocks, and the store is a real LockTable. Simulated are the callers, the
     * driver that executes the effects, the network, the clocks, and the server around the table. All that happens is
     * an event of one queue in the order of the true time, which no JVM and no store can read: their clocks have other
     * offsets and rates.
     *
     * A history has three parts: a time with faults; a quiet time, in which all that the faults have left must come to
     * its end; and the last callers, which must be granted the lock without a delay. Which faults there are, and how
     * many, differs from seed to seed. Checks states what must hold for a lock; it is called after each command and
     * after each input.
     *
     * The driver is simulated by its obligations: effects take place in the order in which they were requested; each
     * command is answered or fails once, within a command timeout from its sending unless the JVM is paused; timers
     * may be late, but are not lost; that a second execution of a release has found nothing counts as a release.
     */

    static final long MICRO = 1000;

    static final long MILLI = Moment.MILLI;

    static final long SECOND = 1000 * MILLI;

    /** What wall clocks show at the beginning, at least. */
    private static final long FIRST_MILLIS = 1_000_000_000_000L;

    /** From this delay on, it counts as a fault. */
    private static final long LATE = 4 * MILLI;

    /** A command may be executed that much later than its failure. */
    private static final long LATEST_COMMAND = 2 * SECOND;

    /** Two claim leases or more. */
    private static final long LATEST_MESSAGE = 4 * SECOND;

    static final long LATEST_TIMER = 8 * MILLI;

    private static final long QUIET_TIME = 60 * SECOND;

    private static final long LAST_TIME = 60 * SECOND;

    private static final int MAX_BATCH = 3;

    private static final List<String> NESTED = List.of("lengthen", "keep", "begin or end of renewals", "downgrade");

    private static final LockStoreException UNKNOWN = new LockStoreException("no reply", null, true, true);

    private static final LockStoreException REFUSED = new LockStoreException("not executed", null, false, true);

    private static final LockStoreException FORBIDDEN = new LockStoreException("not permitted", null, false, false);

    private final Report report;

    /** The events to come. */
    private final TreeSet<Event> queue = new TreeSet<>();

    /** Number of events that were put into the queue. */
    private long orders;

    final Machine[] machines;

    /** All runs of all JVMs; the beginning of an id is the position of its run. */
    private final List<Jvm> runs = new ArrayList<>();

    private final Checks[] locks;

    final Rules rules;

    /** Lease of a renewed grant. */
    final long watchdog;

    final List<Terms> terms = new ArrayList<>();

    private final LockTable.Inboxes inboxes = new Network();

    private LockTable table;

    private LockTable replica;

    /** Null: not traced. */
    private final @Nullable List<Line> trace;

    private long random;

    /** True time in nanoseconds. */
    long now = 1000 * SECOND;

    private long events;

    /** The server's clock shows so many microseconds more than the true time. */
    private long clockStep;

    private long lastMicros;

    private long downUntil;

    private long readOnlyUntil;

    long fullUntil;

    private long detachedUntil;

    /** Whether no fault happens any more. */
    boolean isQuiet;

    /** When nothing was left of the faults. */
    long settledAt = Moment.NEVER;

    private int waiting;

    // What happens in this history; several probabilities are 0.

    private final double loss;

    private final double late;

    private final double repeated;

    private final double refused;

    private final double forbidden;

    private final double messageLoss;

    private final double pausesWithin;

    private final double withdrawals;

    private final double longHolds;

    private final double odd;

    /** How often a failover follows a grant that no replica has confirmed. */
    private final double failoversSoon;

    private final boolean hasLateTimers;

    private final boolean countsReceivers;

    final boolean hasMessages;

    /** Whether JVMs and store are in one process, or almost. */
    private final boolean isNear;

    /** Whether some callers work for about a microsecond, and the network is so fast that grants follow as quickly. */
    private final boolean hurries;

    /**
     * Whether pauses may stop the monotonic clock. Then the wall clock is never set back: if both count too little
     * time, no JVM can find out, and the guarantees exclude it.
     */
    private final boolean suspends;

    /** Whether the store's clock may be set back, so that tokens may not grow. */
    final boolean stepsBack;

    /** Whether replicas confirm grants. */
    final boolean confirms;

    private final boolean batches;

    /** How many commands of one JVM may be under way. Drawn apart, so that older seeds keep their histories. */
    private final int windowSize;

    /** How often a thread is delayed between two effects. Drawn apart as well. */
    private final double delays;

    /** How often an error of the JVM ends an input or an effect. Drawn apart as well. */
    private final double errors;

    /**
     * The runs of JVMs that publish the messages of their commands after the reply, a bit for each. Drawn apart as
     * well.
     */
    private final long publishers;

    /** Whether some callers need all locks together. Drawn apart as well. */
    private final boolean hasCallsOfSeveral;

    /** Whether the number of waiters is limited. Drawn apart as well. */
    private final boolean limits;

    /** How often a second another program releases a lock by force, or says so. Drawn apart as well. */
    private final double forces;

    /** The command that the store executes. */
    private @Nullable Exchange executing;

    private Simulation(long seed, Report report, boolean isTraced) {
        this.report = report;
        long bits = seed * 0xD1342543DE82EF95L >>> 32;
        this.windowSize = bits % 3 == 0 ? 1 + (int) (bits / 3 % 4) : CommandWindow.SIZE;
        this.delays = bits / 16 % 4 == 0 ? 0.05 : 0;
        this.errors = bits / 64 % 8 == 0 ? 0.002 : 0;
        this.publishers = bits / 512 % 4 == 0 ? bits / 2048 : 0;
        this.limits = bits / 8192 % 4 == 0;
        this.forces = bits / 16384 % 8 == 0 ? 0.9 : 0;
        this.random = seed * 0x9E3779B97F4A7C15L;
        this.trace = isTraced ? new ArrayList<>() : null;
        this.loss = some(0.15);
        this.late = some(0.2);
        this.repeated = some(0.3);
        this.refused = some(0.05);
        this.forbidden = some(0.02);
        this.messageLoss = some(0.5);
        this.pausesWithin = some(0.002);
        this.withdrawals = some(0.5);
        this.longHolds = some(0.1);
        this.odd = some(0.5);
        this.hasLateTimers = chance(0.3);
        this.countsReceivers = chance(0.6);
        this.hasMessages = chance(0.9);
        this.isNear = chance(0.1);
        this.hurries = chance(0.1);
        this.suspends = chance(0.5);
        this.stepsBack = chance(0.1);
        this.confirms = chance(0.2);
        this.failoversSoon = this.confirms ? some(0.5) : 0;
        this.batches = chance(0.5);
        this.watchdog = chance(0.6) ? 3 * SECOND : chance(0.5) ? 1500 * MILLI : 9 * SECOND;
        long timeout = this.watchdog / 6;
        long poll = Math.min(SECOND, timeout);
        long claim = this.hasMessages && !this.confirms && chance(0.9) ? 2 * poll : 0;
        long handOverTime = chance(0.7) ? 10 * MILLI : 100 * MILLI;
        int maxWaiters = this.limits ? (int) (bits / 32768 % 4) : Integer.MAX_VALUE;
        this.rules = new Rules(timeout, poll, claim, handOverTime, 64, this.confirms, maxWaiters);
        this.table = newTable();
        this.replica = newTable();
        addTerms(Moment.NEVER, this.watchdog / 3);
        this.locks = new Checks[1 + pickInt(2)];
        this.hasCallsOfSeveral = this.locks.length > 1 && bits / 4096 % 4 == 0;
        for (int i = 0; i < this.locks.length; i++) {
            this.locks[i] = new Checks(this, i, kinds());
        }
        this.machines = new Machine[2 + pickInt(3)];
    }

    private LockTable newTable() {
        return new LockTable(2 * this.rules.poll() / MILLI, this.isNear);
    }

    private void addTerms(long never, long third) {
        this.terms.add(new Terms(this.watchdog, third, never, 0));
        this.terms.add(new Terms(200 * MILLI, never, never, 0));
        this.terms.add(new Terms(this.watchdog / 2, never, never, 0));
        this.terms.add(new Terms(this.watchdog, third, pick(2 * this.watchdog), 0));
        this.terms.add(new Terms(this.watchdog, third, never, pick(300 * MILLI)));
        this.terms.add(new Terms(SECOND, never, never, pick(1500 * MILLI)));
        this.terms.add(new Terms(2 * this.watchdog, 2 * third, never, 0));
    }

    /** Chooses what a lock is used for. */
    private GrantKind[] kinds() {
        GrantKind writer = GrantKind.EXCLUSIVE;
        GrantKind one = GrantKind.permits(1, 3);
        int use = pickInt(20);
        if (use < 9) {
            return new GrantKind[] {writer};
        }
        if (use < 15) {
            return new GrantKind[] {writer, GrantKind.READER, GrantKind.READER};
        }
        // A name that is used for permits and as a lock is rejected by the store.
        return use == 19
                ? new GrantKind[] {writer, one}
                : new GrantKind[] {one, GrantKind.permits(2, 3), GrantKind.permits(3, 3), GrantKind.permits(1, 4)};
    }

    /** Runs one history, and returns what it violates; null: nothing. */
    static @Nullable String violation(long seed, Report report) {
        return new Simulation(seed, report, false).run();
    }

    /** Runs one history again, and returns what it violates and what happened before; null: nothing. */
    static @Nullable String traced(long seed, int lines) {
        Simulation simulation = new Simulation(seed, new Report(), true);
        String violation = simulation.run();
        return violation == null ? null : simulation.lastLines(lines) + "seed " + seed + ": " + violation;
    }

    private @Nullable String run() {
        try {
            note(
                    null,
                    () -> this.rules
                            + (this.suspends ? ", suspends" : "")
                            + (this.countsReceivers ? ", counts receivers" : "")
                            + (this.hasMessages ? "" : ", no messages")
                            + (this.isNear ? ", near" : ""));
            for (int i = 0; i < this.machines.length; i++) {
                this.machines[i] = new Machine();
                this.machines[i].jvm.startCallers();
            }
            long end = this.now + SECOND * (5 + pick(20));
            scheduleFaults(end);
            runUntil(end);
            this.isQuiet = true;
            this.downUntil = this.now;
            this.readOnlyUntil = this.now;
            this.fullUntil = this.now;
            this.detachedUntil = this.now;
            note(null, () -> "no more faults");
            runUntil(end + QUIET_TIME);
            this.settledAt = this.now;
            for (Machine machine : this.machines) {
                machine.jvm.startLastCallers();
            }
            note(null, () -> "last callers");
            runUntil(end + QUIET_TIME + LAST_TIME);
            Checks.check(this.waiting == 0, null, "a wait without an end");
            for (Checks lock : this.locks) {
                lock.atEnd(state(lock));
                for (Jvm jvm : this.runs) {
                    Side side = jvm.sides[lock.index];
                    Checks.check(!jvm.isRunning() || side.lock.isIdle(), lock, "something left in " + jvm);
                    Checks.check(jvm.isCrashed || side.releasesOpen == 0, lock, "a release without an end in " + jvm);
                }
            }
            countGuarantees();
            return null;
        } catch (Checks.Violation ex) {
            note(ex.lock, () -> "violation: " + ex.getMessage());
            if (this.trace != null && ex.lock != null) {
                this.trace.removeIf(line -> line.lock != null && line.lock != ex.lock);
            }
            return ex.getMessage();
        } catch (RuntimeException ex) {
            return ex + " in " + Arrays.asList(ex.getStackTrace()).subList(0, Math.min(6, ex.getStackTrace().length));
        } finally {
            this.report.histories++;
            this.report.events += this.events;
        }
    }

    private void countGuarantees() {
        boolean isForgotten = false;
        for (Checks lock : this.locks) {
            isForgotten |= lock.hasForgotten();
        }
        count(isForgotten ? Seen.CHECKED_EXCLUSION_EXCEPT_LOST_DATA : Seen.CHECKED_EXCLUSION_WITHOUT_EXCEPTION);
        if (this.confirms) {
            count(Seen.CHECKED_EXCLUSION_OVER_CONFIRMED_FAILOVERS);
        }
        if (!this.stepsBack) {
            count(Seen.CHECKED_TOKENS);
        }
        count(Seen.CHECKED_ORDER);
        count(Seen.CHECKED_PROMPTNESS);
    }

    private void runUntil(long end) {
        int atOnce = 0;
        while (!this.queue.isEmpty() && this.queue.first().time <= end) {
            Event event = this.queue.first();
            this.queue.remove(event);
            atOnce = event.time == this.now ? atOnce + 1 : 0;
            Checks.check(atOnce < 2000 && this.events < 1_000_000, null, "endless activity");
            this.now = event.time;
            event.happen();
        }
        this.now = end;
    }

    // ---- Faults

    private void scheduleFaults(long end) {
        boolean failsOver = chance(this.confirms ? 0.6 : 0.3);
        boolean forgets = chance(0.15) && !this.confirms;
        double[] often = {
            some(1),
            some(0.3),
            some(0.15),
            some(0.3),
            some(0.3),
            some(0.3),
            some(0.1),
            some(0.1),
            some(0.3),
            failsOver ? 1 : 0
        };
        for (long second = this.now; second < end; second += SECOND) {
            for (int i = 0; i < often.length; i++) {
                if (chance(often[i])) {
                    int fault = i;
                    int machine = pickInt(this.machines.length);
                    at(second + pick(SECOND), () -> fault(fault, this.machines[machine], failsOver, forgets));
                }
            }
            if (happens(this.forces)) {
                at(second + pick(SECOND), this::force);
            }
        }
    }

    private void fault(int fault, Machine machine, boolean failsOver, boolean forgets) {
        this.events++;
        switch (fault) {
            case 0 -> machine.pause(chance(0.7) ? pick(this.watchdog / 2) : pick(4 * this.watchdog));
            case 1 -> machine.crash();
            case 2 -> machine.jvm.stop();
            case 3 -> {
                boolean isFailover = failsOver && chance(0.5);
                if (isFailover && this.confirms && chance(0.5)) {
                    // What was executed meanwhile is lost.
                    detach();
                    at(this.now + pick(this.detachedUntil - this.now), this::failOver);
                } else {
                    restartStore(isFailover, forgets && chance(0.5));
                }
            }
            case 4 -> machine.stepWallClock();
            case 5 -> machine.jvm.loseSubscription(this.now + pick(2 * SECOND));
            case 6 -> this.fullUntil = this.now + pick(3 * SECOND);
            case 7 -> this.readOnlyUntil = this.now + pick(2 * SECOND);
            case 8 -> stepClock();
            default -> replicate();
        }
    }

    /**
     * Another program releases a grant by force and publishes a message, or only the message; or it asks the owner to
     * release the grant.
     */
    private void force() {
        Checks lock = this.locks[pickInt(this.locks.length)];
        LockState state = state(lock);
        if (state == null || this.now < Math.max(this.downUntil, this.readOnlyUntil)) {
            return;
        }
        this.events++;
        String owner = state.owner();
        List<String> ids = new ArrayList<>(owner != null ? List.of(owner) : List.of());
        state.holders().forEach(holder -> ids.add(holder.id()));
        String id = ids.get(pickInt(ids.size()));
        if (this.events % 4 == 0) {
            if (this.hasMessages && !GrantKind.isKept(id)) {
                Side side = jvmOf(id).sides[lock.index];
                deliver(side, () -> side.releaseRequested(id));
            }
            return;
        }
        if (chance(0.7)) {
            count(Seen.FORCED_RELEASES);
            lock.beforeCommand(state);
            this.lastMicros = Math.max(micros(), this.isNear ? this.lastMicros : this.lastMicros + 1);
            note(lock, () -> "forced release of " + id);
            Reply unused = this.table.execute(
                    new Command.Release(lock.name, id, 0, 0, null), this.lastMicros, "", this.inboxes);
            lock.forced(id, state(lock));
        }
        if (this.hasMessages && !GrantKind.isKept(id)) {
            Side side = jvmOf(id).sides[lock.index];
            deliver(side, () -> side.revoked(id));
        }
    }

    /** Delivers a message: late, more than once, or not at all. */
    private void deliver(Side side, Runnable receipt) {
        if (happens(this.messageLoss)) {
            count(Seen.MESSAGES_LOST);
            return;
        }
        send(side, receipt);
        if (happens(this.repeated)) {
            count(Seen.MESSAGES_REPEATED);
            send(side, receipt);
        }
    }

    private void send(Side side, Runnable receipt) {
        boolean isLate = happens(this.late);
        if (isLate) {
            count(Seen.MESSAGES_LATE);
        }
        at(this.now + (isLate ? pick(LATEST_MESSAGE) : delay()), new JvmEvent(side.jvm) {

            @Override
            void act() {
                if (this.jvm.isSubscribed) {
                    receipt.run();
                }
            }
        });
    }

    private void replicate() {
        if (this.confirms && chance(0.2)) {
            detach();
        } else if (this.now >= this.detachedUntil) {
            this.replica = this.table.copy();
            note(null, () -> "replicated");
        }
    }

    private void detach() {
        this.detachedUntil = this.now + pick(2 * SECOND);
        note(null, () -> "replica detached");
    }

    private void failOver() {
        if (!this.isQuiet) {
            restartStore(true, false);
        }
    }

    private void stepClock() {
        if (this.stepsBack) {
            count(Seen.STORE_CLOCK_STEPS);
            this.clockStep -= pick(2 * SECOND) / MICRO;
            this.lastMicros = 0;
            for (Checks lock : this.locks) {
                // What has expired may be there again, and what is there stays for longer.
                lock.excuse(state(lock));
            }
            note(null, () -> "the store's clock is set back");
        }
    }

    /** The store is away for a while. It returns with its data, with those of its replica, or without any. */
    private void restartStore(boolean failsOver, boolean forgets) {
        this.downUntil = this.now + (chance(0.05) ? 20 * SECOND : pick(2500 * MILLI));
        note(null, () -> failsOver ? "failover" : forgets ? "restart without data" : "restart");
        count(Seen.STORE_RESTARTS);
        LockTable before = this.table;
        if (failsOver) {
            count(this.confirms ? Seen.CONFIRMED_FAILOVERS : Seen.FAILOVERS);
            this.table = this.replica.copy();
            this.readOnlyUntil = chance(0.3) ? this.downUntil + pick(SECOND) : 0;
        } else if (forgets) {
            count(Seen.DATA_LOSSES);
            this.table = newTable();
        }
        if (before != this.table) {
            for (Checks lock : this.locks) {
                lock.restored(before.find(lock.name, micros()), state(lock));
            }
        }
        for (Machine machine : this.machines) {
            if (failsOver || chance(0.5)) {
                at(this.downUntil + pick(300 * MILLI), () -> machine.jvm.serverChanged());
            }
            if (chance(0.7)) {
                machine.jvm.loseSubscription(this.downUntil + pick(500 * MILLI));
            }
        }
    }

    // ---- The store

    /** Returns the store's time. */
    long micros() {
        return this.now / MICRO + this.clockStep;
    }

    /** Returns the true time at which the store's clock shows that time. */
    long trueTime(long micros) {
        return (micros - this.clockStep) * MICRO;
    }

    @Nullable
    LockState state(Checks lock) {
        return this.table.find(lock.name, micros());
    }

    /** Executes a command, and returns the reply; null: it is not confirmed by the replica. */
    private @Nullable Reply execute(Exchange exchange) {
        this.events++;
        Command command = exchange.command;
        // A command takes a microsecond at least, unless the store is in the memory of the JVM.
        this.lastMicros = Math.max(micros(), this.isNear ? this.lastMicros : this.lastMicros + 1);
        boolean renews = command instanceof Command.Renew || command instanceof Command.RenewAll;
        Checks lock = exchange.requests.get(0).side.checks;
        if (!renews) {
            lock.beforeCommand(state(lock));
        }
        if (command instanceof Command.Release release) {
            lock.beforeRelease(release, state(lock));
        }
        Reply reply = this.now < this.fullUntil && command instanceof Command.Acquire acquire
                ? executeOnFullStore(acquire, exchange.jvm, state(lock))
                : execute(this.table, command, exchange.jvm);
        if (renews) {
            for (Side.Request request : exchange.requests) {
                request.side.checks.checkBelief();
            }
        } else {
            lock.afterCommand(exchange, state(lock));
        }
        if (command instanceof Command.Release release
                && release.keepMillis() > 0
                && reply == Reply.Released.INSTANCE) {
            count(Seen.MINIMUM_HOLDS);
        }
        boolean isUnconfirmed = !(command instanceof Command.Acquire) && reply instanceof Reply.Granted;
        if (isUnconfirmed && this.now >= Math.max(this.downUntil, this.detachedUntil) && happens(this.failoversSoon)) {
            detach();
            at(this.now + pick(20 * MILLI), this::failOver);
        }
        boolean isConfirmed =
                !this.confirms || !renews && !(command instanceof Command.Acquire && reply instanceof Reply.Granted);
        if (isConfirmed) {
            return reply;
        }
        if (this.now < this.detachedUntil || happens(this.loss)) {
            count(Seen.CONFIRMATIONS_FAILED);
            return null;
        }
        count(Seen.CONFIRMATIONS);
        this.replica = this.table.copy();
        return reply;
    }

    private Reply execute(LockTable executing, Command command, Jvm jvm) {
        return executing.execute(command, this.lastMicros, this.hasMessages ? jvm.name : "", this.inboxes);
    }

    /**
     * A full store rejects new grants and new entries of the line, and executes all else: also a grant together with
     * grants along the line, because a script that must change a lock is not rejected.
     */
    private Reply executeOnFullStore(Command.Acquire command, Jvm jvm, @Nullable LockState state) {
        String id = command.id();
        if (state != null && (id.equals(state.owner()) || state.holder(id) != null || state.waiting(id) != null)) {
            return execute(this.table, command, jvm);
        }
        LockTable attempt = this.table.copy();
        Command polling = new Command.Acquire(command.lock(), id, command.leaseMillis(), false);
        List<Runnable> messages = new ArrayList<>();
        Reply reply = attempt.execute(polling, this.lastMicros, "", new LockTable.Inboxes() {

            @Override
            public void publish(String lock, String inbox, String granted, long token) {
                messages.add(() -> Simulation.this.inboxes.publish(lock, inbox, granted, token));
            }

            @Override
            public boolean hasReceivers(String inbox) {
                return Simulation.this.inboxes.hasReceivers(inbox);
            }
        });
        if (reply instanceof Reply.Granted && messages.isEmpty()) {
            count(Seen.FULL_STORE_REFUSALS);
            throw REFUSED;
        }
        this.table = attempt;
        messages.forEach(Runnable::run);
        return reply;
    }

    /** Delivers messages of the store. */
    private final class Network implements LockTable.Inboxes {

        @Override
        public void publish(String lock, String inbox, String id, long token) {
            Jvm jvm = jvmOf(inbox);
            Side side = jvm.sides[lock.charAt(0) - Checks.FIRST_NAME];
            Exchange by = Simulation.this.executing;
            if (by != null && by.jvm.publishes) {
                note(side.checks, () -> by.jvm + " is to publish a message to " + jvm + " about " + id);
                by.outbox.add(() -> deliver(side, id, token));
            } else {
                deliver(side, id, token);
            }
        }

        private void deliver(Side side, String id, long token) {
            note(side.checks, () -> "message to " + side.jvm + " about " + id + " token " + token);
            Simulation.this.deliver(side, () -> side.notified(id, token));
        }

        @Override
        public boolean hasReceivers(String inbox) {
            Jvm jvm = jvmOf(inbox);
            Exchange by = Simulation.this.executing;
            boolean counts = Simulation.this.countsReceivers && (by == null || !by.jvm.publishes);
            return !counts || jvm.isRunning() && jvm.isSubscribed;
        }
    }

    // ---- The way to the store and back

    /** A command on its way to the store, and the reply on its way back. */
    final class Exchange extends JvmEvent {

        final Command command;

        /** What is requested: several renewals, or one command. */
        final List<Side.Request> requests;

        private long sentAt;

        private long timeoutAt;

        private boolean isExecuted;

        private boolean isReturning;

        private boolean isSettled;

        private long failedAt = Moment.NEVER;

        private @Nullable Reply reply;

        private LockStoreException failure = UNKNOWN;

        /** Messages in the last reply, if the JVM is to publish them. */
        private final List<Runnable> outbox = new ArrayList<>();

        Exchange(Jvm jvm, Command command, List<Side.Request> requests) {
            super(jvm);
            this.command = command;
            this.requests = requests;
        }

        void transmit() {
            long start = Math.max(Simulation.this.now, this.jvm.machine.pausedUntil);
            this.sentAt = start;
            this.timeoutAt = start + (long) (Simulation.this.rules.commandTimeout() / this.jvm.machine.rate);
            boolean isLost = happens(Simulation.this.loss);
            long arrival = start + delay();
            if (isLost || arrival >= start + LATE) {
                hasTrouble();
            }
            if (isLost || arrival >= this.timeoutAt) {
                // The connection breaks, or the time is up.
                failAt(isLost && chance(0.5) ? start + pick(this.timeoutAt - start) : this.timeoutAt);
            }
            if (!isLost) {
                at(arrival, this);
            } else if (chance(0.5)) {
                at(start + pick(LATEST_COMMAND), this);
            } else {
                count(Seen.COMMANDS_LOST);
            }
        }

        private void failAt(long time) {
            Exchange exchange = this;
            at(time, new JvmEvent(this.jvm) {

                @Override
                void act() {
                    exchange.settle(null, UNKNOWN);
                }
            });
        }

        @Override
        boolean isInJvm() {
            return this.isReturning;
        }

        @Override
        void act() {
            if (this.isReturning) {
                // After a pause, the timeout may come first.
                boolean isTimedOut = Simulation.this.now > this.timeoutAt && chance(0.5);
                settle(isTimedOut ? null : this.reply, isTimedOut ? UNKNOWN : this.failure);
                return;
            }
            if (this.jvm.isCrashed && this.jvm.crashedAt < this.sentAt) {
                // It has crashed in the pause in which it was about to send the command.
                return;
            }
            if (Simulation.this.now < Simulation.this.downUntil) {
                answer(null, UNKNOWN);
            } else if (happens(Simulation.this.refused)) {
                count(Seen.COMMANDS_REFUSED);
                answer(null, REFUSED);
            } else if (happens(Simulation.this.forbidden)) {
                count(Seen.COMMANDS_FORBIDDEN);
                answer(null, FORBIDDEN);
            } else if (Simulation.this.now < Simulation.this.readOnlyUntil) {
                count(Seen.READ_ONLY_REFUSALS);
                answer(null, REFUSED);
            } else {
                this.outbox.clear();
                Simulation.this.executing = this;
                try {
                    executed(execute(this));
                } catch (LockStoreException ex) {
                    answer(null, ex);
                } finally {
                    Simulation.this.executing = null;
                }
            }
        }

        private void executed(@Nullable Reply result) {
            note(
                    this.requests.get(0).side.checks,
                    () -> "store: " + this.command + " -> " + result + (this.isExecuted ? " (again)" : "")
                            + (this.isSettled ? " (late)" : ""));
            boolean isRepetition = this.isExecuted;
            this.isExecuted = true;
            if (this.isSettled) {
                count(Seen.COMMANDS_AFTER_THEIR_FAILURE);
            } else if (!isRepetition && happens(Simulation.this.repeated)) {
                // The connection broke before the reply came, and the client sends the command again.
                count(Seen.COMMANDS_REPEATED);
                hasTrouble();
                long again = Simulation.this.now + delay();
                if (again >= this.timeoutAt) {
                    failAt(this.timeoutAt);
                }
                at(again, this);
            } else {
                answer(isRepetition ? ofRepetition(result) : result, UNKNOWN);
            }
        }

        /** The first execution may have ended the grant. */
        private @Nullable Reply ofRepetition(@Nullable Reply result) {
            boolean isNothing = result instanceof Reply.NotOwner || result instanceof Reply.LeftLine;
            if (isNothing && this.command instanceof Command.Release) {
                return Reply.Released.INSTANCE;
            }
            return isNothing && this.command instanceof Command.Downgrade ? null : result;
        }

        private void answer(@Nullable Reply result, LockStoreException cause) {
            if (this.isSettled) {
                return;
            }
            this.isReturning = true;
            this.reply = result;
            // That a repetition was not executed says nothing about the first execution.
            this.failure = this.isExecuted ? UNKNOWN : cause;
            long arrival = Simulation.this.now + delay();
            if (happens(Simulation.this.loss)) {
                count(Seen.REPLIES_LOST);
                arrival = Moment.NEVER;
            }
            if (arrival >= this.timeoutAt) {
                this.reply = null;
                this.failure = UNKNOWN;
                arrival = this.timeoutAt;
            }
            if (this.reply == null || arrival >= Simulation.this.now + LATE) {
                hasTrouble();
            }
            at(arrival, this);
        }

        private void settle(@Nullable Reply result, LockStoreException cause) {
            if (this.isSettled) {
                return;
            }
            settleRequests(result, cause);
            if (CommandWindow.counts(this.requests.get(0).sent)) {
                this.jvm.writeNext();
            }
        }

        private void settleRequests(@Nullable Reply result, LockStoreException cause) {
            this.isSettled = true;
            if (result == null) {
                this.failedAt = Simulation.this.now;
                hasTrouble();
            } else {
                // A crash between reply and publication is one before the reply.
                for (Runnable message : this.outbox) {
                    count(Seen.MESSAGES_BY_CLIENT);
                    at(Simulation.this.now + delay(), message);
                }
            }
            for (int i = 0; i < this.requests.size(); i++) {
                Reply outcome =
                        result instanceof Reply.RenewedAll all ? all.outcomes().get(i) : result;
                // One of several renewals may fail alone.
                boolean isRefused = result instanceof Reply.RenewedAll && happens(Simulation.this.refused);
                if (isRefused) {
                    hasTrouble();
                }
                this.requests.get(i).settle(isRefused ? null : outcome, isRefused ? REFUSED : cause);
            }
        }

        private void hasTrouble() {
            long until = Math.max(Simulation.this.now, this.timeoutAt);
            for (Side.Request request : this.requests) {
                request.side.troubleUntil = Math.max(request.side.troubleUntil, until);
            }
        }

        /** Returns whether the command is executed so late that its JVM need not expect it any more. */
        boolean isTooLate(long lease) {
            return this.isSettled && Simulation.this.now - this.failedAt > lease * 9 / 10;
        }
    }

    // ---- Machines and JVMs

    /** A machine: its clocks, and the JVM that runs on it. */
    final class Machine {

        /** Clocks are at most 4 percent too fast or too slow. */
        final double rate = 1 + (pick(1_000_001) - 500_000) * 0.08e-6;

        private final long offset = pick(1000 * SECOND);

        private long wallStep;

        private long frozenSince;

        private long frozen;

        long pausedUntil;

        /** Sum of all pauses. */
        long paused;

        /** When a pause ended, or the wall clock was stepped. */
        long disturbedAt;

        /** When the monotonic clock went on after it stood still. */
        long suspendedAt;

        private @Nullable Moment moment;

        private long momentAt;

        private int runs;

        Jvm jvm = new Jvm(this);

        /** Returns what its clocks show. */
        Moment time() {
            Moment known = this.moment;
            if (known == null || this.momentAt != Simulation.this.now) {
                long still = this.frozenSince != 0 ? Simulation.this.now - this.frozenSince : 0;
                long nanos = this.offset + (long) ((Simulation.this.now - this.frozen - still) * this.rate);
                known = new Moment(
                        nanos, FIRST_MILLIS + (long) (Simulation.this.now * this.rate / MILLI) + this.wallStep);
                this.moment = known;
                this.momentAt = Simulation.this.now;
            }
            return known;
        }

        private void stepWallClock() {
            count(Seen.WALL_CLOCK_STEPS);
            this.disturbedAt = Math.max(this.disturbedAt, Simulation.this.now);
            this.wallStep += pick(3600) * 1000 - (Simulation.this.suspends ? 0 : 1800_000);
            this.moment = null;
            note(null, () -> this.jvm + " steps its wall clock");
        }

        /** Pauses the JVM; sometimes the monotonic clock stands still meanwhile. */
        private void pause(long length) {
            if (Simulation.this.now < this.pausedUntil) {
                return;
            }
            count(Seen.PAUSES);
            this.pausedUntil = Simulation.this.now + length;
            this.disturbedAt = this.pausedUntil;
            this.paused += length;
            note(null, () -> this.jvm + " pauses for " + length / MILLI + " ms");
            if (Simulation.this.suspends && chance(0.7)) {
                count(Seen.SUSPENSIONS);
                this.frozenSince = Simulation.this.now;
                // In front of all that this JVM does then.
                at(this.pausedUntil, () -> {
                    // The clock runs again a microsecond before anything else does, so that it has gone on.
                    this.frozen += Simulation.this.now - this.frozenSince - 1000;
                    this.frozenSince = 0;
                    this.suspendedAt = Simulation.this.now;
                    this.moment = null;
                });
            }
        }

        private void crash() {
            note(null, () -> this.jvm + " crashes");
            count(Seen.CRASHES);
            this.jvm.isCrashed = true;
            this.jvm.crashedAt = Simulation.this.now;
            this.jvm.goneAt = micros();
            Simulation.this.waiting -= this.jvm.waiting;
            pause(pick(3 * SECOND));
            startRun();
        }

        private void startRun() {
            this.jvm = new Jvm(this);
            this.jvm.startCallers();
        }
    }

    /** One run of the engine in a JVM, with an instance id of its own. */
    final class Jvm {

        final Machine machine;

        final String name;

        final Side[] sides;

        private boolean isCrashed;

        private long crashedAt;

        private boolean isStopped;

        /** When it crashed or gave up, by the store's clock; {@link Moment#NEVER}: it runs. */
        private long goneAt = Moment.NEVER;

        /** When it was notified of another server, in true time. */
        long serverChangedAt;

        /** Whether it publishes the messages of its commands after the reply. */
        final boolean publishes;

        private boolean isSubscribed = true;

        /** When it subscribed last; {@link Moment#NEVER}: it has lost its subscription. */
        long subscribedAt;

        private int waiting;

        private int hurried;

        private int ids;

        /** Renewals that are sent together. */
        private final RenewalBatch<Side.Request> renewals = new RenewalBatch<>(() -> MAX_BATCH) {

            @Override
            public void send(Side.Request request, Sent renewal) {
                new Exchange(Jvm.this, renewal.command, List.of(request)).transmit();
            }

            @Override
            public void send(Command.RenewAll all, List<Side.Request> requests, List<Sent> sent) {
                count(Seen.RENEWAL_BATCHES);
                long leases = all.renewals().stream()
                        .mapToLong(Command.Renew::leaseMillis)
                        .distinct()
                        .count();
                Checks.check(leases == 1, null, "renewals with different leases in one command");
                Checks.check(requests.size() <= MAX_BATCH, null, "too many renewals in one command");
                for (int i = 0; i < requests.size(); i++) {
                    boolean isOwn = requests.get(i).sent == sent.get(i)
                            && all.renewals().get(i) == sent.get(i).command;
                    Checks.check(isOwn, requests.get(i).side.checks, "a renewal of another lock");
                }
                new Exchange(Jvm.this, all, requests).transmit();
            }

            @Override
            public void failed(Side.Request request, Sent renewal, Throwable failure) {
                throw failure instanceof Checks.Violation violation ? violation : new IllegalStateException(failure);
            }
        };

        private final CommandWindow window = new CommandWindow(Simulation.this.windowSize);

        /** Acquires that were in the line of the store when they began to wait. */
        private final Set<Sent> polls = Collections.newSetFromMap(new IdentityHashMap<>());

        /** What waits in the window. */
        private final IdentityHashMap<Sent, Side.Request> queued = new IdentityHashMap<>();

        Jvm(Machine machine) {
            this.machine = machine;
            int number = Simulation.this.runs.size();
            this.name = String.valueOf(new char[] {(char) ('A' + number / 26), (char) ('a' + number % 26)});
            this.publishes = (Simulation.this.publishers >>> number % 16 & 1) == 1;
            Simulation.this.runs.add(this);
            machine.runs++;
            this.sides = new Side[Simulation.this.locks.length];
            for (int i = 0; i < this.sides.length; i++) {
                this.sides[i] = new Side(this, Simulation.this.locks[i]);
            }
        }

        private void checkTurn(Sent written, boolean isPoll) {
            boolean isAcquire = written.command instanceof Command.Acquire;
            boolean isBefore = isAcquire
                    && this.queued.keySet().stream().anyMatch(each -> each.command instanceof Command.Release);
            Checks.check(!isBefore, this.sides[0].checks, "an acquire is written before a release");
            boolean isNew = isAcquire && !isPoll;
            Checks.check(
                    !isNew || this.queued.keySet().stream().noneMatch(this.polls::contains),
                    this.sides[0].checks,
                    "a new acquire is written before a poll");
        }

        /** As {@code Engine.writeNext}. */
        private void writeNext() {
            this.window.left();
            for (Sent next = this.window.next(); next != null; next = this.window.next()) {
                Side.Request request = this.queued.remove(next);
                if (request == null) {
                    throw new Checks.Violation(this.sides[0].checks, "a command that does not wait is written");
                }
                checkTurn(next, this.polls.remove(next));
                if (next.command instanceof Command.Acquire) {
                    request.side.asking.add(next.acquisition);
                }
                next.at = this.machine.time();
                request.side.troubleUntil = Math.max(request.side.troubleUntil, Simulation.this.now);
                new Exchange(this, next.command, List.of(request)).transmit();
            }
        }

        /** Returns whether it has neither crashed nor given up. */
        boolean isRunning() {
            return this.goneAt == Moment.NEVER;
        }

        /** Returns the nanoseconds since it was gone, by the store's clock. */
        long gone() {
            return (micros() - this.goneAt) * MICRO;
        }

        boolean isStopped() {
            return this.isStopped;
        }

        private void startCallers() {
            this.hurried = Simulation.this.hurries ? 400 : 0;
            for (int callers = 1 + pickInt(5); callers > 0; callers--) {
                think();
            }
        }

        private boolean hurries() {
            return this.hurried > 0 && --this.hurried > 0;
        }

        /** A caller does something else for a while. */
        private void think() {
            if (!Simulation.this.isQuiet && isRunning()) {
                long pause = hurries() ? pick(500) : chance(0.6) ? pick(300) * 10 * MICRO : pick(2 * SECOND);
                Side side = this.sides[pickInt(this.sides.length)];
                boolean needsAll = Simulation.this.hasCallsOfSeveral && chance(0.4);
                inJvm(Simulation.this.now + pause, this, needsAll ? new Call(this)::begin : () -> side.enter(false));
            }
        }

        private void startLastCallers() {
            for (Side side : this.sides) {
                for (int callers = pickInt(3); callers > 0; callers--) {
                    inJvm(Simulation.this.now + pick(20 * MILLI), this, () -> side.enter(true));
                }
            }
        }

        private void serverChanged() {
            inJvm(Simulation.this.now, this, () -> {
                count(Seen.SERVER_CHANGES);
                this.serverChangedAt = Simulation.this.now;
                note(null, () -> this + " uses another server");
                afterGap(LocalLock::serverChanged);
            });
        }

        private void loseSubscription(long until) {
            if (Simulation.this.hasMessages && this.isSubscribed && isRunning()) {
                count(Seen.SUBSCRIPTIONS_LOST);
                note(null, () -> this + " loses its subscription");
                this.isSubscribed = false;
                this.subscribedAt = Moment.NEVER;
                inJvm(until, this, () -> {
                    this.isSubscribed = true;
                    this.subscribedAt = Simulation.this.now;
                    note(null, () -> this + " has subscribed");
                    afterGap(LocalLock::notificationsMayBeLost);
                });
            }
        }

        private void afterGap(BiConsumer<LocalLock, Moment> input) {
            for (Side side : this.sides) {
                int acquires = side.acquires;
                if (side.input(input)) {
                    side.checks.afterGap(side, acquires);
                }
                side.after();
            }
        }

        /** Stops gracefully: bodies go on, and what they hold after a while is given up. */
        private void stop() {
            inJvm(Simulation.this.now, this, () -> {
                if (this.isStopped) {
                    return;
                }
                count(Seen.STOPS);
                note(null, () -> this + " stops");
                this.isStopped = true;
                for (Side side : this.sides) {
                    side.mayFail = false;
                    boolean unused = side.input(LocalLock::stop);
                    side.after();
                }
                inJvm(Simulation.this.now + pick(3 * SECOND), this, this::giveUp);
            });
        }

        private void giveUp() {
            note(null, () -> this + " gives up");
            this.goneAt = micros();
            for (Side side : this.sides) {
                boolean unused = side.input(LocalLock::giveUp);
                side.after();
                Checks.check(side.lock.isIdle(), side.checks, "something left after giving up in " + this);
            }
            count(Seen.NEW_RUNS);
            this.machine.startRun();
        }

        @Override
        public String toString() {
            return this.name;
        }
    }

    /** Ends an input, as a full heap does where something is allocated. */
    private static final class Interruption extends Error {

        private static final long serialVersionUID = 1L;

        Interruption() {
            super(null, null, false, false);
        }
    }

    /** One lock in one JVM, and the driver that executes its effects. */
    final class Side implements Delivery.Driver {

        final Jvm jvm;

        final Checks checks;

        private Recorder recorder;

        LocalLock lock;

        /** The one whose effects are executed. */
        private Recorder executing;

        /** Whether effects wait for a thread that is delayed, or for the watchdog. */
        private int delayed;

        /** Whether an error may end an input. */
        private boolean mayFail = true;

        /** How often an error has ended one. */
        int failures;

        /** The callers that wait, in the order of their arrival. */
        final List<Body> waiting = new ArrayList<>();

        /** Until when a command of this lock may have failed or may be late. */
        long troubleUntil;

        /** The grant that was released last. */
        @Nullable
        Body released;

        /** Grants that were returned, and not reported as released. */
        int releasesOpen;

        int acquires;

        private String owner = "";

        /** Stakes of attempts without an outcome, one for each attempt. */
        final List<Acquisition> asking = new ArrayList<>();

        /** Ids that messages have reported as granted while they asked. */
        final List<String> reported = new ArrayList<>();

        /** Ids that were asked to be released. */
        final Set<String> requested = new HashSet<>();

        /** The id about which a request is being processed; null: another input is. */
        @Nullable
        String inRequest;

        /** When a message has last reported a forced release of an id. */
        final Map<String, Long> told = new HashMap<>();

        /** The reply that is being processed; null: a failure, or another input. */
        @Nullable
        Reply reply;

        /** The caller that enters the lock in this moment; null: another input is processed. */
        @Nullable
        Body entering;

        /** Releases without an outcome. */
        final List<Acquisition> releasing = new ArrayList<>();

        /** When the first release of an acquisition was sent, while releases of it are repeated. */
        private final Map<Acquisition, Long> firstReleases = new HashMap<>();

        /** Stakes of which a release is under way: when a message has reported a grant, by the clock of the JVM. */
        private final Map<Acquisition, Long> outdated = new HashMap<>();

        /** The acquisition whose owner has died, as was noticed by the present input. */
        private @Nullable Acquisition dead;

        /** When a wait or a grant ended or began last. */
        long changedAt;

        private long armed = Moment.NEVER;

        private final Event timer;

        Side(Jvm jvm, Checks checks) {
            this.jvm = jvm;
            this.checks = checks;
            this.recorder = new Recorder();
            this.executing = this.recorder;
            this.lock = this.recorder.lock;
            this.timer = new JvmEvent(jvm) {

                @Override
                void act() {
                    timeReached();
                }
            };
        }

        /** Begins an input. */
        private Moment before() {
            Simulation.this.events++;
            if (happens(Simulation.this.pausesWithin)) {
                count(Seen.PAUSES_WITHIN_AN_INPUT);
                Moment time = this.jvm.machine.time();
                this.jvm.machine.pause(pick(Simulation.this.watchdog));
                return time;
            }
            return this.jvm.machine.time();
        }

        /** Gives the lock an input, and returns whether that has ended without an error. */
        private boolean input(BiConsumer<LocalLock, Moment> input) {
            return input(this.recorder, input);
        }

        private boolean input(Recorder to, BiConsumer<LocalLock, Moment> input) {
            Moment time = before();
            try {
                deliver(to, to.input(input, time, null));
                return true;
            } catch (Interruption ex) {
                failed(to);
                return false;
            }
        }

        private void failed(Recorder recorder) {
            count(Seen.ERRORS);
            this.failures++;
            this.delayed++;
            note(this.checks, () -> this.jvm + " has an error");
            long until = Simulation.this.now + pick(SECOND);
            this.troubleUntil = Math.max(this.troubleUntil, until);
            inJvm(until, this.jvm, () -> {
                this.delayed--;
                goOn(recorder);
            });
        }

        /** The watchdog looks after what an error or a busy thread has left. */
        private void goOn(Recorder recorder) {
            if (recorder.mustGoOn() || recorder.isWaiting()) {
                boolean unused = input(recorder, LocalLock::timeReached);
                after();
            }
        }

        /** Executes effects, one after the other; the thread may be delayed between two of them. */
        private void deliver(Recorder from, @Nullable Effect effects) {
            Effect effect = effects;
            while (effect != null) {
                if (happens(Simulation.this.delays)) {
                    count(Seen.EFFECTS_DELAYED);
                    Effect left = effect;
                    long until = Simulation.this.now + (chance(0.5) ? pick(20 * MICRO) : pick(5 * MILLI));
                    this.troubleUntil = Math.max(this.troubleUntil, until);
                    this.delayed++;
                    inJvm(until, this.jvm, () -> {
                        this.delayed--;
                        deliver(from, left);
                    });
                    return;
                }
                if (this.mayFail && happens(Simulation.this.errors)) {
                    from.stalled(effect);
                    failed(from);
                    return;
                }
                this.executing = from;
                effect.execute(this);
                effect = effect.next != null ? effect.next : from.next(Simulation.this.delays == 0 || chance(0.7));
            }
            if (from.isWaiting()) {
                this.delayed++;
                inJvm(Simulation.this.now + pick(MILLI), this.jvm, () -> {
                    this.delayed--;
                    goOn(from);
                });
            }
        }

        /** Ends an input. */
        private void after() {
            if (this.recorder.mustGoOn()) {
                return;
            }
            String broken = Invariants.broken(this.lock);
            Checks.check(broken == null, this.checks, broken);
            this.checks.afterInput(this);
            if (!this.requested.isEmpty()) {
                this.checks.checkRequests(this, null);
            }
            if (this.dead != null) {
                this.checks.checkDeath(this, this.dead);
                this.dead = null;
            }
            if (this.recorder.isIdle() && !this.jvm.isStopped && happens(0.1)) {
                count(Seen.IDLE_LOCKS_DROPPED);
                this.recorder = new Recorder();
                this.lock = this.recorder.lock;
                this.owner = "";
            }
            // After an error, the time may have passed.
            long due = this.failures > 0
                    ? Math.max(this.lock.dueAt, this.jvm.machine.time().nanos())
                    : this.lock.dueAt;
            if (this.armed != due) {
                arm(due);
            }
        }

        private void enter(boolean isLast) {
            if (Simulation.this.isQuiet && !isLast || !this.jvm.isRunning()) {
                return;
            }
            int kind = pickInt(this.checks.kinds.length);
            long waitTime =
                    chance(0.15) ? 0 : isLast ? 40 * SECOND : chance(0.5) ? pick(200 * MILLI) : pick(20 * SECOND);
            if (chance(0.1)) {
                waitTime = Waiter.FOREVER;
            }
            Terms requested = Simulation.this.terms.get(
                    this.jvm.hurried > 0 || chance(0.6) ? 0 : pickInt(Simulation.this.terms.size()));
            enter(new Body(this, isLast, requested, null), this.checks.kinds[kind], waitTime);
        }

        private void enter(Body body, GrantKind kind, long waitTime) {
            boolean isLast = body.isLast;
            Integer maxWaiters = Simulation.this.limits && chance(0.3) ? pickInt(3) : null;
            Caller caller = new Caller(body, kind, waitTime, maxWaiters);
            body.caller = caller;
            this.waiting.add(body);
            this.jvm.waiting++;
            Simulation.this.waiting++;
            if (chance(isLast ? 0.2 : Simulation.this.withdrawals)) {
                long after = chance(0.5) ? pick(3000 * MICRO) : pick(isLast ? 50 * MILLI : 3 * SECOND);
                inJvm(Simulation.this.now + after, this.jvm, () -> withdraw(caller));
            }
            note(
                    this.checks,
                    () -> this.jvm + " enter " + body + " " + caller.kind.mode() + " wait " + caller.waitTime / MILLI
                            + " ms");
            this.entering = body;
            boolean hasEntered = input((local, time) -> local.enter(caller, time));
            this.entering = null;
            if (!hasEntered && !caller.isQueued && !body.hasEnded) {
                // The caller has the error.
                body.endWait();
                body.refused();
            }
            after();
        }

        /**
         * Returns the first body whose wait has not ended.
         *
         * @param ending its wait ends in this moment; null: none
         */
        @Nullable
        Body firstWaiting(@Nullable Body ending) {
            for (Body body : this.waiting) {
                Caller caller = body.caller;
                if (body == ending || (caller != null && caller.isQueued)) {
                    return body;
                }
            }
            return null;
        }

        /** Returns whether a release of the acquisition was sent. */
        boolean isReleased(Acquisition acquisition) {
            return this.firstReleases.containsKey(acquisition);
        }

        private void withdraw(Caller caller) {
            boolean[] wasQueued = new boolean[1];
            boolean[] isWithdrawn = new boolean[1];
            boolean isOver = input((local, time) -> {
                // A lock that has failed has refused the caller.
                wasQueued[0] = caller.isQueued;
                isWithdrawn[0] = local.withdraw(caller, Refusal.Cause.WITHDRAWN, time);
            });
            Checks.check(
                    !isOver || isWithdrawn[0] == wasQueued[0] && !caller.isQueued,
                    this.checks,
                    "wrong answer to a withdrawal");
            after();
        }

        private void notified(String id, long token) {
            note(this.checks, () -> this.jvm + " notified " + id + " token " + token);
            Acquisition acquisition = this.lock.find(id);
            boolean wasHeld =
                    acquisition != null && (acquisition.phase == Phase.HELD || acquisition.phase == Phase.SUSPENDED);
            if (acquisition != null && acquisition.phase == Phase.ENDING && this.releasing.contains(acquisition)) {
                this.outdated.put(acquisition, this.jvm.machine.time().nanos());
            }
            if (acquisition != null && acquisition.phase == Phase.ASKING) {
                this.reported.add(id);
            }
            boolean isProof =
                    acquisition != null && !this.recorder.mustGoOn() && this.checks.isProof(this, acquisition);
            if (!input((local, time) -> local.notified(id, token, time))) {
                return;
            }
            this.checks.check(
                    !isProof || acquisition == null || acquisition.phase == Phase.HELD,
                    "a message that is not believed");
            if (!wasHeld) {
                this.checks.afterMessage(this, id);
            }
            after();
        }

        private void revoked(String id) {
            note(this.checks, () -> this.jvm + " notified of a forced release of " + id);
            // A JVM that has given up reports nothing more.
            if (input((local, time) -> local.revoked(id, time)) && this.jvm.isRunning()) {
                this.told.put(id, Simulation.this.now);
            }
            after();
        }

        private void releaseRequested(String id) {
            note(this.checks, () -> this.jvm + " is asked to release " + id);
            this.requested.add(id);
            this.inRequest = id;
            boolean isDone = input((local, time) -> {
                boolean unused = local.releaseRequested(id);
            });
            this.inRequest = null;
            if (isDone) {
                this.checks.checkRequests(this, id);
            }
            after();
        }

        private void timeReached() {
            if (this.jvm.machine.time().nanos() >= this.armed || happens(0.1)) {
                if (this.jvm.machine.time().nanos() < this.armed) {
                    count(Seen.EARLY_TIMERS);
                }
                this.armed = Moment.NEVER;
                boolean unused = input(LocalLock::timeReached);
                after();
            } else {
                arm(this.armed);
            }
        }

        /** Returns whether effects wait for a delayed thread, or the lock has not gone on after an error. */
        boolean isDelayed() {
            return this.delayed > 0 || this.recorder.mustGoOn();
        }

        /** Returns whether a command waits for its turn, or for a delayed thread. */
        boolean hasQueued() {
            return isDelayed() || this.jvm.queued.values().stream().anyMatch(request -> request.side == this);
        }

        /** One command of the lock, until its outcome is known. */
        final class Request {

            final Side side = Side.this;

            final Sent sent;

            private final Recorder sender = Side.this.executing;

            Request(Sent sent) {
                this.sent = sent;
            }

            private void settle(@Nullable Reply reply, LockStoreException failure) {
                note(
                        Side.this.checks,
                        () -> Side.this.jvm + " outcome of " + this.sent.command + ": "
                                + (reply != null ? reply : failure));
                boolean isDropped = this.sender != Side.this.recorder || !Side.this.jvm.isRunning();
                Recorder current = Side.this.recorder;
                Side.this.recorder = this.sender;
                Side.this.lock = this.sender.lock;
                Acquisition acquisition = this.sent.acquisition;
                Side.this.asking.remove(this.sent.successor != null ? this.sent.successor : acquisition);
                Body front = Side.this.firstWaiting(null);
                boolean isRejected = reply == null
                        && !failure.isTransient()
                        && acquisition.phase == Phase.ASKING
                        && front != null
                        && acquisition.kind.equals(Objects.requireNonNull(front.caller).kind);
                boolean isRefused = (reply instanceof Reply.Taken || reply instanceof Reply.InLine)
                        && (this.sent.successor != null ? this.sent.successor : acquisition)
                                == Side.this.lock.candidate;
                Long outdatedAt = null;
                if (this.sent.command instanceof Command.Release) {
                    Side.this.releasing.remove(acquisition);
                    outdatedAt = Side.this.outdated.remove(acquisition);
                }
                boolean isOver = false;
                if (Side.this.mayFail && happens(Simulation.this.errors)) {
                    this.sender.failed();
                    failed(this.sender);
                } else {
                    Side.this.reply = reply;
                    isOver = input(this.sender, (local, time) -> {
                        if (reply != null) {
                            local.replied(this.sent, reply, time);
                        } else {
                            local.failed(this.sent, failure, time);
                        }
                    });
                    Side.this.reply = null;
                }
                Side.this.recorder = current;
                Side.this.lock = current.lock;
                if (!isOver) {
                    return;
                }
                if (isRefused && front != null) {
                    Side.this.checks.checkBeginning(front, this.sent.at);
                }
                Side.this.checks.check(
                        !isRejected || front == null || front.hasEnded, "waits although the store rejects it");
                if (acquisition.phase == Phase.OVER) {
                    Long first = Side.this.firstReleases.remove(acquisition);
                    // Releases are repeated for four of these intervals at least.
                    boolean mayGiveUp =
                            first == null || Simulation.this.now - first > Simulation.this.rules.poll() * 7 / 2;
                    Side.this.checks.check(
                            outdatedAt == null
                                    || this.sent.at.nanos() >= outdatedAt
                                    || mayGiveUp
                                    || Side.this.jvm.isStopped,
                            "a release from before a grant counts as its end");
                }
                Checks.check(
                        !isDropped || this.sender.lock.isIdle(),
                        Side.this.checks,
                        "a dropped lock has begun something");
                after();
            }
        }

        /** Checks effects when the lock wants them, before they are delivered. */
        private final class Recorder extends Delivery {

            /** What is to be executed, in this order. */
            private final Deque<Object> recorded = new ArrayDeque<>();

            Recorder() {
                super(Side.this.checks.name, Simulation.this.rules, Side.this, new Collected());
            }

            /** Memory is full where something is allocated, before it is. */
            private void interrupt() {
                if (Side.this.mayFail && happens(Simulation.this.errors)) {
                    throw new Interruption();
                }
            }

            @Override
            public String id(GrantKind kind) {
                interrupt();
                return super.id(kind);
            }

            @Override
            public void send(Sent sent) {
                interrupt();
                note(Side.this.checks, () -> Side.this.jvm + " sends " + sent.command);
                Side.this.checks.sent(Side.this, sent);
                if (sent.command instanceof Command.Release) {
                    if (sent.successor != null) {
                        Side.this.asking.add(sent.successor);
                    }
                    Side.this.releasing.add(sent.acquisition);
                    Side.this.firstReleases.putIfAbsent(sent.acquisition, Simulation.this.now);
                } else if (sent.command instanceof Command.Acquire) {
                    Side.this.acquires++;
                    Side.this.asking.add(sent.acquisition);
                }
                this.recorded.add(sent);
                super.send(sent);
            }

            @Override
            public void granted(Waiter waiter, Grant grant, Way way) {
                interrupt();
                Caller caller = (Caller) waiter;
                Body body = caller.body;
                note(
                        Side.this.checks,
                        () -> Side.this.jvm + " granted " + body + " " + grant.id() + " token " + grant.token + " "
                                + way);
                if (way == Way.DOWNGRADED) {
                    count(Seen.DOWNGRADES);
                    Side.this.checks.downgraded(body, grant);
                } else {
                    Side.this.checks.granted(body, grant, way);
                    body.endWait();
                    body.begin(grant, way);
                }

                this.recorded.add(grant);
                super.granted(waiter, grant, way);
            }

            @Override
            public void refused(Waiter waiter, Refusal refusal) {
                interrupt();
                Body body = ((Caller) waiter).body;
                note(Side.this.checks, () -> Side.this.jvm + " refused " + body + " " + refusal);
                Side.this.checks.refused(body, refusal);
                body.endWait();

                this.recorded.add(waiter);
                super.refused(waiter, refusal);
            }

            @Override
            public void renewed(Grant grant, Moment sentAt) {
                interrupt();
                count(Seen.RENEWED);
                Side.this.checks.check(body(grant).isHolding(grant), "renewed after its end");

                this.recorded.add(grant);
                super.renewed(grant, sentAt);
            }

            @Override
            public void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause) {
                interrupt();
                count(cause != null ? Seen.RENEWAL_UNANSWERED : Seen.RENEWAL_OF_NOTHING);
                Side.this.checks.check(body(grant).isHolding(grant), "renewed after its end");

                this.recorded.add(grant);
                super.renewalFailed(grant, sentAt, cause);
            }

            @Override
            public void atRisk(Grant grant, @Nullable LockStoreException cause) {
                interrupt();
                count(cause != null ? Seen.AT_RISK : Seen.AT_RISK_BY_DELAY);
                Side.this.checks.atRisk(body(grant), grant, true);

                this.recorded.add(grant);
                super.atRisk(grant, cause);
            }

            @Override
            public void recovered(Grant grant) {
                interrupt();
                count(Seen.RECOVERED);
                Side.this.checks.atRisk(body(grant), grant, false);

                this.recorded.add(grant);
                super.recovered(grant);
            }

            @Override
            public void releaseRequested(Grant grant) {
                interrupt();
                count(Seen.RELEASES_REQUESTED);
                Side.this.checks.releaseRequested(body(grant), grant);

                this.recorded.add(grant);
                super.releaseRequested(grant);
            }

            @Override
            public void lost(Grant grant, LossReason reason) {
                interrupt();
                note(Side.this.checks, () -> Side.this.jvm + " lost " + body(grant) + " " + grant.id() + " " + reason);
                count(Seen.valueOf("LOST_" + reason));
                if (reason == LossReason.OWNER_DIED && grant.acquisition.remaining(Side.this.jvm.machine.time()) > 0) {
                    Side.this.dead = grant.acquisition;
                }
                Side.this.changedAt = Simulation.this.now;
                body(grant).lost(grant, reason);

                this.recorded.add(grant);
                super.lost(grant, reason);
            }

            @Override
            public void released(Grant grant, @Nullable LockStoreException failure) {
                interrupt();
                note(
                        Side.this.checks,
                        () -> Side.this.jvm + " released " + body(grant) + " " + grant.id() + " " + failure);
                count(
                        failure != null
                                ? Seen.RELEASE_FAILED
                                : grant.state == Grant.State.LOST ? Seen.RELEASED_AFTER_LOSS : Seen.RELEASED);
                Side.this.changedAt = Simulation.this.now;
                Side.this.checks.released(body(grant), grant, failure);

                this.recorded.add(grant);
                super.released(grant, failure);
            }

            @Override
            public void taken(String owner) {
                interrupt();
                count(Seen.OWNER_REPORTED);
                // A lock that has failed has forgotten it.
                Side.this.checks.check(
                        !owner.equals(Side.this.owner) || Side.this.failures > 0, "the same owner is reported twice");
                Side.this.owner = owner;

                this.recorded.add(owner);
                super.taken(owner);
            }

            @Override
            public void waitsForStore(LockStoreException cause) {
                interrupt();
                count(Seen.OUTAGE_REPORTED);
                Body first = firstWaiting(null);
                boolean isEndless = first != null && Objects.requireNonNull(first.caller).waitTime == Waiter.FOREVER;
                Side.this.checks.check(
                        isEndless && cause.isTransient(), "an outage is reported that a time limit ends");

                this.recorded.add(cause);
                super.waitsForStore(cause);
            }
        }

        // ---- Effects, executed

        private void executed(Object effect) {
            Object expected = this.executing.recorded.poll();
            this.checks.check(expected == effect, "an effect is executed twice, in another order or not at all");
        }

        @Override
        public void send(Sent sent) {
            executed(sent);
            Request request = new Request(sent);
            if (sent.command instanceof Command.Renew && Simulation.this.batches) {
                if (this.jvm.renewals.isEmpty()) {
                    inJvm(Simulation.this.now + MILLI, this.jvm, this.jvm.renewals::send);
                }
                this.jvm.renewals.add(request, sent);
                return;
            }
            if (CommandWindow.counts(sent) && !this.jvm.window.enter(sent)) {
                count(Seen.COMMANDS_QUEUED);
                this.jvm.queued.put(sent, request);
                if (sent.command instanceof Command.Acquire && sent.acquisition.standsInLine()) {
                    this.jvm.polls.add(sent);
                }
                if (sent.command instanceof Command.Acquire) {
                    this.asking.remove(sent.acquisition);
                }
                return;
            }
            this.jvm.checkTurn(sent, sent.acquisition.standsInLine());
            new Exchange(this.jvm, sent.command, List.of(request)).transmit();
        }

        @Override
        public void granted(Waiter waiter, Grant grant, Way way) {
            executed(grant);
            if (way != Way.DOWNGRADED) {
                ((Caller) waiter).body.granted();
            }
        }

        @Override
        public void refused(Waiter waiter, Refusal refusal) {
            executed(waiter);
            ((Caller) waiter).body.refused();
        }

        @Override
        public void renewed(Grant grant, Moment sentAt) {
            executed(grant);
        }

        @Override
        public void renewalFailed(Grant grant, Moment sentAt, @Nullable LockStoreException cause) {
            executed(grant);
        }

        @Override
        public void atRisk(Grant grant, @Nullable LockStoreException cause) {
            executed(grant);
        }

        @Override
        public void recovered(Grant grant) {
            executed(grant);
        }

        @Override
        public void releaseRequested(Grant grant) {
            executed(grant);
        }

        @Override
        public void lost(Grant grant, LossReason reason) {
            executed(grant);
        }

        @Override
        public void released(Grant grant, @Nullable LockStoreException failure) {
            executed(grant);
        }

        @Override
        public void taken(String owner) {
            executed(owner);
        }

        @Override
        public void waitsForStore(LockStoreException cause) {
            executed(cause);
        }

        // ---- The driver

        @Override
        public void callAt(long dueAt, boolean isHeld) {}

        @Override
        public LockStoreException failure() {
            return UNKNOWN;
        }

        @Override
        public int withdraw(Acquisition acquisition) {
            for (Sent each = acquisition.waiting; each != null; each = each.nextWaiting) {
                count(Seen.COMMANDS_WITHDRAWN);
                this.troubleUntil = Math.max(this.troubleUntil, Simulation.this.now);
                this.jvm.queued.remove(each);
            }
            return this.jvm.window.withdraw(acquisition);
        }

        private void arm(long nanos) {
            this.armed = nanos;
            if (nanos == Moment.NEVER) {
                Simulation.this.queue.remove(this.timer);
                return;
            }
            long now = this.jvm.machine.time().nanos();
            this.checks.check(nanos >= now, "asks for a call in the past");
            if (nanos - now > 3600 * SECOND) {
                Simulation.this.queue.remove(this.timer);
                return;
            }
            long wait = (long) Math.ceil((nanos - now) / this.jvm.machine.rate);
            if (Simulation.this.hasLateTimers && happens(0.2)) {
                count(Seen.LATE_TIMERS);
                wait += pick(LATEST_TIMER);
            }
            at(Simulation.this.now + wait, this.timer);
        }

        @Override
        public String id(GrantKind kind) {
            return kind.idOf(this.jvm.name + '-' + ++this.jvm.ids);
        }

        @Override
        public long below(long bound) {
            return pick(bound);
        }

        private Body body(Grant grant) {
            return (Body) grant.owner;
        }
    }

    // ---- Callers

    /** What the queue knows of a caller. */
    static final class Caller extends Waiter {

        /** Only for the limit of waiters, and for messages, of which there are none. */
        private static final LockRequest REQUEST = LockRequest.of("lock");

        final Body body;

        Caller(Body body, GrantKind kind, long waitTime, @Nullable Integer maxWaiters) {
            super(maxWaiters != null ? REQUEST.withMaxWaiters(maxWaiters) : REQUEST, kind, waitTime, body.terms, body);
            this.body = body;
        }
    }

    /** A caller: it waits, works for a while, and releases its grant, or fails to. */
    final class Body extends JvmEvent implements Owner {

        final Side side;

        final boolean isLast;

        final Terms terms;

        @Nullable
        Caller caller;

        /** True time. */
        final long enteredAt = Simulation.this.now;

        final long pausedBefore;

        /** Whether others were in front of it. */
        final boolean wasBehind;

        boolean hasEnded;

        @Nullable
        Grant grant;

        /** The id of the writer that has become this reader; null: there is none. */
        @Nullable
        String former;

        boolean isAtRisk;

        /** The grant that it was asked to release; null: it was not asked. */
        @Nullable
        Grant asked;

        /** Whether the grant was handed over in memory. */
        boolean isNext;

        boolean isDead;

        /** When it died or left its grant behind, by its clock. */
        long leftAt;

        long renewSentAt;

        int renewals;

        /** By its clock, the latest time until which the requests permit that it holds. */
        long latestEnd;

        /** Grants that were returned, and not reported as released. */
        int releasesOpen;

        private @Nullable Grant returned;

        /** By its clock, the end of its minimum hold. */
        long keptUntil;

        private int steps;

        private long hold;

        boolean isNested;

        private boolean isOver;

        /** The call of several locks of which this is one; null: the caller needs one lock. */
        private final @Nullable Call call;

        Body(Side side, boolean isLast, Terms terms, @Nullable Call call) {
            super(side.jvm);
            this.call = call;
            this.side = side;
            this.isLast = isLast;
            this.terms = terms;
            this.pausedBefore = side.jvm.machine.paused;
            this.wasBehind = !side.waiting.isEmpty();
        }

        @Override
        public boolean isAlive() {
            return !this.isDead;
        }

        private void endWait() {
            this.hasEnded = true;
            this.side.changedAt = Simulation.this.now;
            this.side.waiting.remove(this);
            this.jvm.waiting--;
            Simulation.this.waiting--;
        }

        /** Returns whether it has released a live grant of that id, and waits for the outcome. */
        boolean isReleasing(Acquisition acquisition) {
            return this.grant != null
                    && this.grant.acquisition == acquisition
                    && this.grant.state == Grant.State.RELEASING;
        }

        /** Returns whether the grant is its present one, and not over. */
        boolean isHolding(Grant asked) {
            return this.grant == asked && asked.isLive();
        }

        /** Returns whether its grant was lost, and it has not returned it. */
        boolean isReacting() {
            return isAwaited() && this.returned != this.grant;
        }

        /** Returns whether its grant was lost, and it has not returned it, or an error has ended the attempt. */
        boolean isAwaited() {
            return this.grant != null
                    && this.grant.state == Grant.State.LOST
                    && (this.returned != this.grant || !this.isOver);
        }

        private void begin(Grant granted, Effects.Way way) {
            this.grant = granted;
            this.isNext = way == Effects.Way.LOCAL && granted.acquisition.handOvers > 0;
            this.keptUntil = granted.grantedAt + this.terms.minHold();
            // The lease of a grant by message is set by the renewal that confirms it.
            this.latestEnd = Moment.sum(endOf(granted), way == Effects.Way.MESSAGE ? Simulation.this.rules.claim() : 0);
            long hold = chance(0.5) ? pick(20 * MICRO) : chance(0.9) ? pick(20 * MILLI) : pick(SECOND);
            if (this.jvm.hurried > 0) {
                // Less than one token for each microsecond, or as many pass-ons as are permitted.
                hold = pick(500) + (this.jvm.name.charAt(1) % 2 == 0 ? 2200 : 0);
            } else if (!Simulation.this.isQuiet && chance(Simulation.this.longHolds)) {
                hold = pick(20 * SECOND);
            }
            this.steps = happens(Simulation.this.odd) ? 1 + pickInt(3) : 0;
            this.hold = hold;
        }

        /** It knows of its grant. */
        private void granted() {
            if (this.call != null) {
                this.call.ended();
            } else {
                at(Simulation.this.now + this.hold, this);
            }
        }

        /** It knows that its wait has ended without a grant. */
        private void refused() {
            if (this.call != null) {
                this.call.ended();
            } else {
                this.jvm.think();
            }
        }

        /** Ends the visit. A call of several locks ends its own. */
        private void leave() {
            if (this.call == null) {
                this.jvm.think();
            }
        }

        private static long endOf(Grant granted) {
            long renewedUntil = granted.terms.isRenewed() ? granted.terms.maxHold() : 0;
            return Moment.sum(granted.grantedAt, Moment.sum(renewedUntil, granted.terms.lease()));
        }

        @Override
        void act() {
            Grant held = this.grant;
            if (this.isOver || held == null) {
                return;
            }
            if (this.steps > 0 && held.isLive()) {
                this.steps--;
                nest(held);
                at(Simulation.this.now + (chance(0.5) ? pick(5 * MILLI) : pick(Simulation.this.watchdog)), this);
                return;
            }
            this.isOver = true;
            // An owner whose release was ended by an error tries again.
            if (held.isLive() && this.returned != held && happens(Simulation.this.odd / 5)) {
                this.leftAt = this.jvm.machine.time().nanos();
                if (chance(0.5)) {
                    count(Seen.OWNERS_DIED);
                    note(this.side.checks, () -> this + " dies");
                    this.isDead = true;
                } else {
                    count(Seen.ABANDONED);
                    note(this.side.checks, () -> this + " leaves its grant behind");
                    if (!this.side.input((lock, time) -> lock.abandon(held, time))) {
                        // Another collection of garbage finds it.
                        this.isOver = false;
                        at(Simulation.this.now + pick(SECOND), this);
                        return;
                    }
                    this.side.after();
                }
                leave();
                return;
            }
            if (!release(held)) {
                // It tries again.
                this.isOver = false;
                at(Simulation.this.now + pick(20 * MILLI), this);
                return;
            }
            if (chance(0.1)) {
                count(Seen.RELEASED_TWICE);
                boolean unused = release(held);
            }
            leave();
        }

        /** Returns whether no error has ended the release. */
        private boolean release(Grant held) {
            this.side.released = this;
            returns(held);
            boolean isGivenBack = happens(Simulation.this.odd / 5);
            this.keptUntil = isGivenBack ? 0 : this.keptUntil;
            @Nullable Body[] next = new Body[1];
            boolean[] wasLive = new boolean[1];
            boolean[] isReleased = new boolean[1];
            boolean isOver = this.side.input((lock, time) -> {
                next[0] = this.side.checks.successorOf(this);
                wasLive[0] = held.isLive();
                isReleased[0] = isGivenBack ? lock.giveBack(held, time) : lock.release(held, time);
            });
            if (!isOver) {
                return false;
            }
            Body successor = next[0];
            this.side.checks.check(
                    isReleased[0] == (wasLive[0] && held.lossReason == null), "wrong answer to a release");
            this.side.checks.check(successor == null || successor.hasEnded, "not passed on although it may be");
            this.side.checks.check(
                    held.acquisition.phase != Phase.ENDING
                            || held.kind().mode() == LockMode.READ
                            || this.side.isReleased(held.acquisition)
                            // An error has ended the first attempt after the grant was passed on.
                            || this.side.checks.isAwaited(held.acquisition),
                    "returned, but not released in the store");
            note(this.side.checks, () -> this.jvm + " releases " + this + " " + held.id() + " " + isReleased[0]);
            this.side.after();
            return true;
        }

        /** Each grant that is returned is reported as released once. */
        private void returns(Grant held) {
            if (this.returned != held) {
                this.returned = held;
                this.releasesOpen++;
                this.side.releasesOpen++;
            }
        }

        /** What a nested hold may request. */
        private void nest(Grant held) {
            Terms other = Simulation.this.terms.get(pickInt(2) * 6);
            boolean mayDowngrade = held.kind().mode() == LockMode.WRITE && this.side.checks.kinds.length == 3;
            int what = mayDowngrade && chance(0.4) ? NESTED.size() - 1 : pickInt(NESTED.size());
            note(this.side.checks, () -> this.jvm + " nests in " + this + ": " + NESTED.get(what));
            switch (what) {
                case 0 -> {
                    count(Seen.LENGTHENED);
                    boolean isOver = this.side.input((lock, time) -> {
                        this.latestEnd = Math.max(this.latestEnd, Moment.sum(time.nanos(), other.lease()));
                        this.side.checks.request(held.id(), other.lease());
                        lock.lengthen(held, other.lease(), time);
                    });
                    if (isOver) {
                        this.side.checks.afterNesting(this, held, other);
                    }
                }
                case 1 -> {
                    count(Seen.KEPT_BY_NESTED_HOLD);
                    long minHold = pick(300 * MILLI);
                    boolean unused = this.side.input((lock, time) -> {
                        this.keptUntil = Math.max(this.keptUntil, time.nanos() + minHold);
                        lock.keep(held, minHold, time);
                    });
                }
                case 2 -> {
                    count(Seen.RENEWED_BY_NESTED_HOLD);
                    if (!this.isNested) {
                        this.isNested = true;
                        this.latestEnd = Moment.NEVER;
                        this.side.checks.request(held.id(), other.lease());
                        if (this.side.input((lock, time) -> lock.renewUntil(held, other, Moment.NEVER, time))) {
                            this.side.checks.afterNesting(this, held, other);
                        }
                    } else {
                        long until = this.terms.isRenewed()
                                ? Moment.sum(held.grantedAt, this.terms.maxHold())
                                : Moment.BEFORE;
                        boolean unused = this.side.input((lock, time) -> {
                            this.latestEnd = Math.max(endOf(held), time.nanos() + 2 * Simulation.this.watchdog);
                            lock.renewUntil(held, this.terms, until, time);
                        });
                        // Not before: the lease may have expired meanwhile.
                        this.isNested = false;
                    }
                }
                default -> {
                    if (mayDowngrade) {
                        Caller reader = new Caller(this, GrantKind.READER, 0, null);
                        returns(held);
                        boolean isInterrupted = !this.side.input(
                                (lock, time) -> this.isOver = lock.downgrade(held, reader, time) == null);
                        this.isOver &= !isInterrupted;
                    }
                }
            }
            this.side.after();
        }

        private void lost(Grant lost, LossReason reason) {
            this.side.checks.lost(this, lost, reason);
            if (!this.isOver && chance(0.5)) {
                // It notices the loss before it has finished.
                this.steps = 0;
                at(Simulation.this.now + pick(20 * MILLI), this);
            }
        }

        @Override
        public String toString() {
            return "caller" + (this.enteredAt - 1000 * SECOND) / MICRO;
        }
    }

    /**
     * A call that needs all locks. As {@code Attempts} and {@code LockSequence}, it attempts together those that it
     * lacks, gives back what was granted behind the first refusal, and waits for the refused one.
     */
    private final class Call {

        private final Jvm jvm;

        /** The last wait for each lock; null: there was none. */
        private final @Nullable Body[] bodies = new Body[Simulation.this.locks.length];

        /** Number of waits without an outcome. */
        private int open;

        /** The lock for which it waits; -1: it attempts those that it lacks. */
        private int awaited = -1;

        Call(Jvm jvm) {
            this.jvm = jvm;
        }

        void begin() {
            if (!Simulation.this.isQuiet && this.jvm.isRunning()) {
                count(Seen.CALLS_OF_SEVERAL);
                attempt();
            }
        }

        private boolean isHeld(int index) {
            Body body = this.bodies[index];
            return body != null && body.grant != null;
        }

        private void attempt() {
            List<Integer> missing = new ArrayList<>();
            for (int i = 0; i < this.bodies.length; i++) {
                if (!isHeld(i)) {
                    missing.add(i);
                }
            }
            this.awaited = -1;
            this.open = 1 + missing.size();
            long next = Simulation.this.now;
            for (int each : missing) {
                // The thread may be paused between two of them.
                next += pick(5 * MICRO);
                inJvm(next, this.jvm, () -> enter(each, 0));
            }
            ended();
        }

        private void enter(int index, long waitTime) {
            Side side = this.jvm.sides[index];
            Body body = new Body(side, false, Simulation.this.terms.get(0), this);
            this.bodies[index] = body;
            side.enter(body, side.checks.kinds[0], waitTime);
        }

        /** A wait has ended, with a grant or without. */
        private void ended() {
            if (--this.open == 0) {
                inJvm(Simulation.this.now + pick(20 * MICRO), this.jvm, this::decide);
            }
        }

        private void decide() {
            if (this.awaited >= 0) {
                if (isHeld(this.awaited)) {
                    attempt();
                } else {
                    finish(0);
                }
                return;
            }
            int refused = 0;
            while (refused < this.bodies.length && isHeld(refused)) {
                refused++;
            }
            if (refused == this.bodies.length) {
                count(Seen.CALLS_THAT_GOT_ALL);
                finish(pick(5 * MILLI));
                return;
            }
            for (int i = refused + 1; i < this.bodies.length; i++) {
                if (isHeld(i)) {
                    count(Seen.GIVEN_BACK_BEHIND_A_REFUSAL);
                    release(i, 0);
                }
            }
            this.awaited = refused;
            this.open = 1;
            enter(refused, chance(0.3) ? pick(SECOND) : Waiter.FOREVER);
        }

        private void finish(long after) {
            for (int i = this.bodies.length - 1; i >= 0; i--) {
                if (isHeld(i)) {
                    release(i, after);
                }
            }
            this.jvm.think();
        }

        private void release(int index, long after) {
            Body body = Objects.requireNonNull(this.bodies[index]);
            this.bodies[index] = null;
            body.steps = 0;
            at(Simulation.this.now + after, body);
        }
    }

    // ---- Parts

    /** Something that happens at a time, after all that was put into the queue for that time before it. */
    private abstract static class Event implements Comparable<Event> {

        private long time;

        private long order;

        abstract void happen();

        @Override
        public final int compareTo(Event other) {
            return this.time != other.time
                    ? Long.compare(this.time, other.time)
                    : Long.compare(this.order, other.order);
        }
    }

    /** Something that a JVM does, as soon as it is not paused. */
    private abstract class JvmEvent extends Event {

        final Jvm jvm;

        JvmEvent(Jvm jvm) {
            this.jvm = jvm;
        }

        boolean isInJvm() {
            return true;
        }

        @Override
        final void happen() {
            if (isInJvm()) {
                if (this.jvm.isCrashed) {
                    return;
                }
                long pausedUntil = this.jvm.machine.pausedUntil;
                if (Simulation.this.now < pausedUntil) {
                    at(pausedUntil, this);
                    return;
                }
            }
            act();
        }

        abstract void act();
    }

    /** Puts an event into the queue, or moves it to another time. */
    private void at(long time, Event event) {
        this.queue.remove(event);
        event.time = Math.max(time, this.now);
        event.order = ++this.orders;
        this.queue.add(event);
    }

    private void at(long time, Runnable action) {
        at(time, new Event() {

            @Override
            void happen() {
                action.run();
            }
        });
    }

    private void inJvm(long time, Jvm jvm, Runnable action) {
        at(time, new JvmEvent(jvm) {

            @Override
            void act() {
                action.run();
            }
        });
    }

    /** Returns the run whose name an id begins with. */
    Jvm jvmOf(String id) {
        return this.runs.get(26 * (id.charAt(0) - 'A') + id.charAt(1) - 'a');
    }

    private long delay() {
        if (happens(this.late)) {
            return pick(1 + pick(LATEST_COMMAND));
        }
        if (this.isNear) {
            return 500 + pick(3000);
        }
        return this.hurries && chance(0.9)
                ? 4 * MICRO + pick(10 * MICRO)
                : 20 * MICRO + pick(chance(0.9) ? 400 * MICRO : 3 * MILLI);
    }

    /** Returns whether a fault with that probability happens. */
    private boolean happens(double probability) {
        return !this.isQuiet && chance(probability);
    }

    private double some(double most) {
        return pickInt(3) == 0 ? 0 : part() * part() * most;
    }

    private boolean chance(double probability) {
        return probability > 0 && part() < probability;
    }

    private double part() {
        return (next() >>> 11) * 0x1p-53;
    }

    private int pickInt(int bound) {
        return (int) pick(bound);
    }

    private long pick(long bound) {
        return bound <= 1 ? 0 : (next() >>> 1) % bound;
    }

    /** Returns the next number of SplitMix64. */
    private long next() {
        this.random += 0x9E3779B97F4A7C15L;
        long mixed = (this.random ^ (this.random >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    // ---- Report and trace

    /** Situations that are counted. */
    enum Seen {
        CALLS_OF_SEVERAL,
        CALLS_THAT_GOT_ALL,
        GIVEN_BACK_BEHIND_A_REFUSAL,
        EFFECTS_DELAYED,
        ERRORS,
        GRANTED_BY_REPLY,
        GRANTED_BY_MESSAGE,
        GRANTED_AS_SUCCESSOR,
        PASSED_ON_IN_MEMORY,
        READERS_JOINED,
        PERMITS_GRANTED,
        PERMITS_PASSED_ON,
        SHARED_BY_MESSAGE,
        DOWNGRADES,
        MINIMUM_HOLDS,
        CONFIRMATIONS,
        CONFIRMATIONS_FAILED,
        REFUSED_HELD_BY_OTHERS,
        REFUSED_QUEUE_FULL,
        REFUSED_QUEUE_FULL_LATER,
        REFUSED_STORE_FAILED,
        REFUSED_WITHDRAWN,
        REFUSED_STOPPED,
        OWNER_REPORTED,
        OUTAGE_REPORTED,
        LOST_EXPIRED,
        LOST_TAKEN_OVER,
        LOST_DELETED,
        LOST_REVOKED,
        LOST_MAX_HOLD,
        LOST_OWNER_DIED,
        LOST_FAILED,
        LOST_SHUTDOWN,
        AT_RISK,
        AT_RISK_BY_DELAY,
        RECOVERED,
        RENEWED,
        RENEWAL_UNANSWERED,
        RENEWAL_OF_NOTHING,
        RELEASED,
        RELEASE_FAILED,
        RELEASED_AFTER_LOSS,
        RELEASED_TWICE,
        LENGTHENED,
        KEPT_BY_NESTED_HOLD,
        RENEWED_BY_NESTED_HOLD,
        OWNERS_DIED,
        ABANDONED,
        PAUSES,
        PAUSES_WITHIN_AN_INPUT,
        SUSPENSIONS,
        CRASHES,
        STOPS,
        NEW_RUNS,
        IDLE_LOCKS_DROPPED,
        WALL_CLOCK_STEPS,
        LATE_TIMERS,
        EARLY_TIMERS,
        COMMANDS_LOST,
        COMMANDS_REPEATED,
        COMMANDS_QUEUED,
        COMMANDS_WITHDRAWN,
        COMMANDS_AFTER_THEIR_FAILURE,
        REPLIES_LOST,
        COMMANDS_REFUSED,
        COMMANDS_FORBIDDEN,
        RENEWAL_BATCHES,
        MESSAGES_LOST,
        MESSAGES_BY_CLIENT,
        MESSAGES_LATE,
        MESSAGES_REPEATED,
        SUBSCRIPTIONS_LOST,
        FORCED_RELEASES,
        RELEASES_REQUESTED,
        STORE_RESTARTS,
        DATA_LOSSES,
        FAILOVERS,
        CONFIRMED_FAILOVERS,
        STORE_CLOCK_STEPS,
        FULL_STORE_REFUSALS,
        READ_ONLY_REFUSALS,
        SERVER_CHANGES,
        // Guarantees, by the number of histories in which they were checked.
        CHECKED_EXCLUSION_EXCEPT_LOST_DATA,
        CHECKED_EXCLUSION_WITHOUT_EXCEPTION,
        CHECKED_EXCLUSION_OVER_CONFIRMED_FAILOVERS,
        CHECKED_TOKENS,
        CHECKED_ORDER,
        CHECKED_PROMPTNESS
    }

    /** What histories contained, to show that they are not trivial. */
    static final class Report {

        private final long[] counts = new long[Seen.values().length];

        long histories;

        long events;

        void add(Seen seen) {
            this.counts[seen.ordinal()]++;
        }

        long count(Seen seen) {
            return this.counts[seen.ordinal()];
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder(this.histories + " histories, " + this.events + " events");
            for (Seen seen : Seen.values()) {
                text.append('\n')
                        .append(count(seen))
                        .append(' ')
                        .append(seen.name().toLowerCase(Locale.ROOT).replace('_', ' '));
            }
            return text.toString();
        }
    }

    private record Line(@Nullable Checks lock, String text) {}

    void count(Seen seen) {
        this.report.add(seen);
    }

    private void note(@Nullable Checks lock, Supplier<String> what) {
        if (this.trace != null) {
            String time = String.format("%,15d us  ", (this.now - 1000 * SECOND) / MICRO);
            this.trace.add(new Line(lock, time + (lock != null ? lock.name + "  " : "") + what.get()));
        }
    }

    private String lastLines(int most) {
        StringBuilder text = new StringBuilder();
        List<Line> all = this.trace != null ? this.trace : List.of();
        all.subList(Math.max(0, all.size() - most), all.size())
                .forEach(line -> text.append(line.text).append('\n'));
        return text.toString();
    }

    /** Arguments: first seed, number of seeds, lines of the trace. A single seed prints the trace of its violation. */
    public static void main(String[] args) {
        long first = Long.parseLong(args[0]);
        long number = Long.parseLong(args[1]);
        Report report = new Report();
        int violations = 0;
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        for (long seed = first; seed < first + number; seed++) {
            String violation = number == 1
                    ? traced(seed, args.length > 2 ? Integer.parseInt(args[2]) : 100)
                    : violation(seed, report);
            if (violation != null) {
                violations++;
                System.out.println((number == 1 ? "" : "seed " + seed + ": ") + violation);
            }
        }
        double seconds = (threads.getCurrentThreadCpuTime() - begin) / 1e9;
        System.out.println(report);
        System.out.printf(
                "%d violations, %.0f histories and %.2f million events per second of processor time%n",
                violations, number / seconds, report.events / seconds / 1e6);
    }
}
