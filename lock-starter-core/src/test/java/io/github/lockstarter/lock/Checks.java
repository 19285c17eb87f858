package io.github.lockstarter.lock;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lock.Effects.Way;
import io.github.lockstarter.lock.Simulation.Body;
import io.github.lockstarter.lock.Simulation.Exchange;
import io.github.lockstarter.lock.Simulation.Machine;
import io.github.lockstarter.lock.Simulation.Seen;
import io.github.lockstarter.lock.Simulation.Side;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockState;
import io.github.lockstarter.store.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What must hold for one lock, in all JVMs and in the store. A condition that a history does not promise is left out.
 */
@SuppressWarnings({"OperatorPrecedence", "ReferenceEquality", "NarrowCalculation", "UnusedVariable"})
final class Checks {

    static final char FIRST_NAME = 'p';

    private static final long MILLI = Simulation.MILLI;

    /**
     * Longest time that a hand-over takes without faults: some commands and messages, a timer, and the spread of
     * wake-ups.
     */
    private static final long HAND_OVER = 70 * MILLI;

    /** A condition that does not hold. */
    static final class Violation extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Nullable
        final transient Checks lock;

        Violation(@Nullable Checks lock, String message) {
            super(message, null, false, false);
            this.lock = lock;
        }
    }

    /** When an id was granted the lock by the clock of its JVM, and how often it was passed on since then. */
    private static final class Passes {

        final long from;

        int count;

        Passes(long from) {
            this.from = from;
        }
    }

    /** An id in the store: when it was granted the lock, and which number it had when it joined the line. */
    private record Stored(String id, long grantedAt, long arrival) {}

    final String name;

    final int index;

    /** What callers request; a kind may be in it twice. */
    final GrantKind[] kinds;

    private final Simulation simulation;

    /** The bodies whose grants are neither released nor lost, as far as they have been notified. */
    private final List<Body> holding = new ArrayList<>();

    /** Bodies whose grants were lost because their time was over, and that have not noticed it yet. */
    private final List<Body> reacting = new ArrayList<>();

    /** For each id, the longest lease that its present owner has requested, or a waiter for which it has asked. */
    private final Map<String, Long> requested = new HashMap<>();

    /** Ids for which the longest lease was requested. */
    private final Set<String> longest = new HashSet<>();

    /**
     * Ids whose grant the store has forgotten, at least in part: exclusion is not promised for them, even if they are
     * granted the lock again, because a reply of the server before may be under way.
     */
    private final Set<String> forgotten = new HashSet<>();

    /**
     * Ids that the store may have although no JVM knows them: from old data, or from commands that were executed too
     * late.
     */
    private final Set<String> excused = new HashSet<>();

    /** When an id was released by force. */
    private final Map<String, Long> forced = new HashMap<>();

    private boolean hasForgotten;

    private long forgottenAt;

    private long restoredAt = -1;

    /** When the store had nothing of the lock: the line is gone with a lease that runs out. */
    private long freeAt;

    /** For each kind, the last time at which it could not be granted. */
    private final long[] blockedUntil;

    private final boolean[] isBlocked;

    /** The end of the lock in the store as it was last seen. */
    private long storedEnd;

    /** When a grant or a wait began or ended last. */
    private long changedAt;

    /** Until when waiters may not know that a minimum hold has ended. */
    private long keptUntil;

    private List<Stored> holders = new ArrayList<>();

    private List<Stored> line = new ArrayList<>();

    private long arrivals;

    private long largestToken;

    private long largestExclusiveToken;

    private long largestStoredToken;

    /** The largest token of which releases have notified the store, since it has something of the lock. */
    private long usedToken;

    /** For each id that the store has granted the lock to, what its JVM has made of the grant. */
    private final Map<String, Passes> passes = new HashMap<>();

    Checks(Simulation simulation, int index, GrantKind[] kinds) {
        this.simulation = simulation;
        this.index = index;
        this.name = String.valueOf((char) (FIRST_NAME + index));
        this.kinds = kinds;
        this.blockedUntil = new long[kinds.length];
        this.isBlocked = new boolean[kinds.length];
    }

    static void check(boolean holds, @Nullable Checks lock, @Nullable String violated) {
        if (!holds) {
            throw new Violation(lock, String.valueOf(violated));
        }
    }

    void check(boolean holds, String violated) {
        if (!holds) {
            throw new Violation(this, violated);
        }
    }

    private void check(boolean holds, String violated, Object subject) {
        if (!holds) {
            throw new Violation(this, violated + ": " + subject);
        }
    }

    boolean hasForgotten() {
        return this.hasForgotten;
    }

    // ---- The store

    void beforeCommand(@Nullable LockState state) {
        this.freeAt = state == null ? now() : this.freeAt;
        this.usedToken = state == null ? 0 : this.usedToken;
        // An attempt that is executed late can get another grant for the id.
        this.forced.keySet().removeIf(id -> endOf(state, id) > 0);
        for (int i = 0; i < this.kinds.length; i++) {
            if (isBlocked(state, this.kinds[i])) {
                this.blockedUntil[i] = now();
            } else if (this.isBlocked[i]) {
                this.blockedUntil[i] = Math.max(this.blockedUntil[i], Math.min(now(), this.storedEnd));
            }
        }
    }

    /** Returns whether the store would not grant that kind. */
    private boolean isBlocked(@Nullable LockState state, GrantKind kind) {
        if (state == null) {
            return false;
        }
        if (state.owner() != null) {
            return true;
        }
        long micros = this.simulation.micros();
        int used = 0;
        for (LockState.Entry holder : state.holders()) {
            used += holder.endsAtMicros() > micros ? holder.weight() : 0;
        }
        if (used > 0
                && (kind.mode() != state.shared()
                        || kind.mode() == LockMode.PERMIT && used + kind.weight() > kind.limit())) {
            return true;
        }
        for (LockState.Entry entry : state.line()) {
            if (entry.endsAtMicros() > micros) {
                return !entry.kind().equals(kind);
            }
        }
        return false;
    }

    /** Notes the tokens that the owner has passed on in memory, whatever the store's clock shows. */
    void beforeRelease(Command.Release release, @Nullable LockState state) {
        if (endOf(state, release.id()) > this.simulation.micros()) {
            this.usedToken = Math.max(this.usedToken, release.lastToken());
        }
    }

    void afterCommand(Exchange exchange, @Nullable LockState state) {
        Command command = exchange.command;
        if (command instanceof Command.Acquire acquire && exchange.isTooLate(acquire.leaseMillis() * MILLI)) {
            this.excused.add(acquire.id());
        } else if (command instanceof Command.Release release
                && release.successor() != null
                && exchange.isTooLate(release.successor().leaseMillis() * MILLI)) {
            this.excused.add(release.successor().acquisitionId());
        } else if (command instanceof Command.Downgrade downgrade
                && (exchange.isTooLate(downgrade.leaseMillis() * MILLI) || this.excused.contains(downgrade.id()))) {
            this.excused.add(GrantKind.readerOf(downgrade.id()));
        }
        if (command instanceof Command.Release release && release.keepMillis() > 0) {
            // The store sends no notification about the end of a minimum hold.
            long end = this.simulation.rules.poll() + (release.keepMillis() + 1) * MILLI;
            this.keptUntil = Math.max(this.keptUntil, now() + end * 21 / 20);
        }
        compare(state, true);
        for (int i = 0; i < this.kinds.length; i++) {
            this.isBlocked[i] = isBlocked(state, this.kinds[i]);
        }
        checkKnown(state, null);
        checkBelief();
    }

    /** The store has lost data, so that nothing of what happens next says something about the order. */
    void restored(@Nullable LockState before, @Nullable LockState after) {
        // What replicas confirm must survive.
        if (before != null && !this.simulation.confirms) {
            String owner = before.owner();
            if (owner != null) {
                forget(owner, before.endsAtMicros(), after);
            }
            for (LockState.Entry holder : before.holders()) {
                forget(holder.id(), holder.endsAtMicros(), after);
            }
        }
        excuse(after);
        this.usedToken = 0;
        this.restoredAt = now();
        this.holders.clear();
        this.line.clear();
        compare(after, false);
        this.changedAt = now();
        this.storedEnd = now();
        checkBelief();
    }

    private void forget(String id, long end, @Nullable LockState after) {
        if (endOf(after, id) >= end) {
            return;
        }
        this.hasForgotten = true;
        this.forgottenAt = now();
        this.forgotten.add(id);
    }

    /** The id was released by force: its owner goes on until it notices that. */
    void forced(String id, @Nullable LockState state) {
        this.forced.put(id, now());
        // Only the owner of a kept lock knows its last token.
        this.usedToken = GrantKind.isKept(id) ? 0 : this.usedToken;
        forget(id, this.simulation.micros() + 1, state);
        compare(state, true);
        for (int i = 0; i < this.kinds.length; i++) {
            this.isBlocked[i] = isBlocked(state, this.kinds[i]);
        }
        this.changedAt = now();
        checkBelief();
    }

    /**
     * Returns when the owner has received a message about the latest forced release of its id or of the writer that it
     * was, or a negative number.
     */
    private long toldAt(Body body, Grant grant) {
        String former = body.former;
        boolean isFormer =
                former != null && this.forced.getOrDefault(former, -1L) > this.forced.getOrDefault(grant.id(), -1L);
        return toldAt(body.side, isFormer ? former : grant.id());
    }

    private long toldAt(Side side, String id) {
        long toldAt = side.told.getOrDefault(id, -1L);
        return toldAt >= this.forced.getOrDefault(id, Moment.NEVER) ? toldAt : -1;
    }

    /** Whatever the store has may be what its JVM has released or given up. */
    void excuse(@Nullable LockState state) {
        if (state != null) {
            String owner = state.owner();
            if (owner != null) {
                this.excused.add(owner);
            }
            excuse(state.holders());
            excuse(state.line());
        }
    }

    private void excuse(List<LockState.Entry> entries) {
        for (LockState.Entry entry : entries) {
            this.excused.add(entry.id());
        }
    }

    /** Returns the time of the store at which it has nothing of the id any more. */
    private static long endOf(@Nullable LockState state, String id) {
        if (state == null) {
            return 0;
        }
        if (id.equals(state.owner())) {
            return state.endsAtMicros();
        }
        LockState.Entry holder = state.holder(id);
        return holder != null ? holder.endsAtMicros() : 0;
    }

    /** Compares holders and line with those after the previous command. */
    private void compare(@Nullable LockState state, boolean isStep) {
        List<Stored> before = this.holders;
        List<Stored> lineBefore = this.line;
        if (state == null && before.isEmpty() && lineBefore.isEmpty()) {
            return;
        }
        this.holders = new ArrayList<>();
        this.line = new ArrayList<>();
        if (state == null) {
            return;
        }
        long micros = this.simulation.micros();
        for (LockState.Entry entry : state.line()) {
            Stored known = find(lineBefore, entry.id());
            this.line.add(known != null ? known : new Stored(entry.id(), 0, ++this.arrivals));
            check(endOf(state, entry.id()) <= micros, "a holder is in the line", entry.id());
        }
        String owner = state.owner();
        if (owner != null) {
            compare(owner, state.token(), state, before, lineBefore, isStep);
        }
        for (LockState.Entry holder : state.holders()) {
            compare(holder.id(), holder.token(), state, before, lineBefore, isStep);
        }
    }

    private void compare(
            String id, long token, LockState state, List<Stored> before, List<Stored> lineBefore, boolean isStep) {
        Stored known = find(before, id);
        if (known == null && GrantKind.isKept(id)) {
            known = find(before, GrantKind.withoutKept(id));
            known = known != null ? new Stored(id, known.grantedAt(), known.arrival()) : null;
        }
        if (known == null && isReader(id)) {
            known = find(before, writerOf(id));
        }
        if (known != null) {
            this.holders.add(known.id().equals(id) ? known : new Stored(id, known.grantedAt(), known.arrival()));
            return;
        }
        Stored waited = find(lineBefore, id);
        long arrival = waited != null ? waited.arrival() : Long.MAX_VALUE;
        this.holders.add(new Stored(id, now(), arrival));
        if (!isStep) {
            return;
        }
        long micros = this.simulation.micros();
        for (Stored other : this.line) {
            LockState.Entry entry = find(lineBefore, other.id()) != null ? state.waiting(other.id()) : null;
            check(
                    entry == null || entry.endsAtMicros() <= micros || other.arrival() > arrival,
                    "granted past the first in line",
                    id);
        }
        check(token > this.usedToken, "the store gives a token that was passed on", id);
        if (!this.simulation.stepsBack) {
            check(
                    token > this.largestStoredToken,
                    "the store gives a token that is not larger than an earlier one",
                    id);
            this.largestStoredToken = token;
        }
    }

    private static @Nullable Stored find(List<Stored> all, String id) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).id().equals(id)) {
                return all.get(i);
            }
        }
        return null;
    }

    private static boolean isReader(String id) {
        return id.endsWith(".r");
    }

    private static String writerOf(String reader) {
        return reader.substring(0, reader.length() - 2);
    }

    /** Each id in the store is known to a JVM, or was. */
    private void checkKnown(@Nullable LockState state, @Nullable Side only) {
        if (state == null) {
            return;
        }
        String owner = state.owner();
        if (owner != null) {
            checkKnown(owner, true, only);
        }
        checkKnown(state.holders(), true, only);
        checkKnown(state.line(), false, only);
    }

    private void checkKnown(List<LockState.Entry> entries, boolean holds, @Nullable Side only) {
        for (LockState.Entry entry : entries) {
            if (entry.endsAtMicros() > this.simulation.micros()) {
                checkKnown(entry.id(), holds, only);
            }
        }
    }

    private void checkKnown(String id, boolean holds, @Nullable Side only) {
        if (GrantKind.isKept(id)) {
            return;
        }
        Simulation.Jvm jvm = this.simulation.jvmOf(id);
        if (only != null && only.jvm != jvm || this.excused.contains(id)) {
            return;
        }
        if (!jvm.isRunning()) {
            // The longest lease of all, and the latest command.
            check(
                    !holds || jvm.gone() < 2 * this.simulation.watchdog + 3 * Simulation.SECOND,
                    "a JVM that is gone holds the lock",
                    id);
        } else {
            check(jvm.sides[this.index].lock.find(id) != null, "no JVM knows the id", id);
        }
    }

    // ---- Belief

    void afterInput(Side side) {
        checkKnown(this.simulation.state(this), side);
        checkBelief();
        checkVisits(side);
    }

    /** Those who rely on a grant fit together, and none relies on it longer than the store has it. */
    void checkBelief() {
        LockState state = this.simulation.state(this);
        long micros = this.simulation.micros();
        if (state != null) {
            this.storedEnd = this.simulation.trueTime(state.endsAtMicros());
        }
        Acquisition alone = null;
        int writers = 0;
        int readers = 0;
        int permits = 0;
        int limit = 0;
        for (int i = this.holding.size() - 1; i >= 0; i--) {
            Body body = this.holding.get(i);
            Grant grant = body.grant;
            if (grant == null || !grant.isLive() || !body.jvm.isRunning()) {
                this.holding.remove(i);
                continue;
            }
            Moment time = body.jvm.machine.time();
            long remaining = grant.acquisition.remaining(time);
            if (remaining <= 0) {
                checkNotice(body, grant, time);
                continue;
            }
            check(time.nanos() <= body.latestEnd, "held for too long", body);
            if (!this.forgotten.isEmpty() && isForgotten(grant)) {
                checkForgotten(body, grant, state);
                continue;
            }
            long end = endOf(state, grant.id());
            if (end == 0 && body.former != null) {
                end = endOf(state, body.former);
            }
            check(
                    end - micros >= (long) (remaining / body.jvm.machine.rate) / 1000,
                    "relied on for longer than it is in the store",
                    grant.id());
            checkBlocking(body, grant, time, end - micros);
            switch (grant.kind().mode()) {
                case WRITE -> {
                    check(alone == null || alone == grant.acquisition, "two owners", grant.id());
                    alone = grant.acquisition;
                    writers++;
                }
                case READ -> readers++;
                case PERMIT -> {
                    permits += grant.kind().weight();
                    limit = Math.max(limit, grant.kind().limit());
                }
            }
        }
        check(
                writers + Math.min(readers, 1) + Math.min(permits, 1) <= 1 && permits <= limit,
                "owners that do not fit together");
    }

    /** A JVM that crashes, or an owner that dies, blocks others no longer than the lease that was requested for it. */
    private void checkBlocking(Body body, Grant grant, Moment time, long micros) {
        long lease = Math.max(this.requested.get(grant.id()), 2 * this.simulation.rules.poll());
        // The store rounds the end up to milliseconds, and executes up to a hundred commands of one moment in
        // microseconds of their own.
        check(
                this.simulation.stepsBack || (micros - 1100) * 1000 <= lease,
                "taken for longer than its owner has requested",
                grant.id());
        // After a failure, the next renewal is due later.
        long pause = body.terms.lease() / 12 * 21 / 20;
        // A lock that has failed does not look after dead owners any more: their leases end.
        if (body.leftAt == 0
                || body.side.failures > 0
                || now() <= body.jvm.machine.disturbedAt + pause + 2 * Simulation.LATEST_TIMER) {
            return;
        }
        long since = time.nanos() - body.leftAt;
        if (body.isDead && grant.renewUntil == Moment.NEVER) {
            // Its death is noticed when it is to be renewed. Nested holds and readers that join may have other
            // intervals.
            long interval = body.isNested || grant.kind().mode() == LockMode.READ
                    ? 2 * this.simulation.watchdog
                    : body.terms.renewAfter();
            check(
                    since <= interval + pause + 2 * Simulation.LATEST_TIMER,
                    "a dead owner blocks others for too long",
                    body);
        } else if (!body.isDead && grant.kind().mode() != LockMode.READ) {
            // A renewal may be under way, and a grant by message is confirmed by one.
            check(since <= 2 * lease, "a grant that was left behind blocks others for too long", body);
        }
    }

    /** The store is told of the death of an owner as soon as it is noticed. */
    void checkDeath(Side side, Acquisition acquisition) {
        check(
                acquisition.phase != Acquisition.Phase.ENDING || side.isReleased(acquisition) || isAwaited(acquisition),
                "a dead owner blocks others although its death was noticed",
                acquisition);
    }

    /** A lease of that length is requested for the id. */
    void request(String id, long lease) {
        this.requested.merge(id, lease, Math::max);
    }

    private boolean isForgotten(Grant grant) {
        // Readers may have joined a writer that has become a reader.
        Acquisition former = grant.acquisition.former;
        return this.forgotten.contains(grant.id()) || former != null && this.forgotten.contains(former.id);
    }

    /** A JVM that has been notified of another server finds out soon that its grant is not there. */
    private void checkForgotten(Body body, Grant grant, @Nullable LockState state) {
        long changedAt = body.jvm.serverChangedAt;
        long since = Math.max(
                Math.max(changedAt, this.forgottenAt), Math.max(body.side.troubleUntil, body.jvm.machine.pausedUntil));
        boolean isRenewed = body.terms.isRenewed()
                && body.terms.maxHold() == Moment.NEVER
                && grant.renewUntil == Moment.NEVER
                && grant.terms == body.terms;
        // The longest pause between a failed renewal and the next one.
        long lease = Math.max(body.terms.lease(), this.requested.getOrDefault(grant.id(), 0L));
        long bound = lease / 12 * 21 / 20 + HAND_OVER;
        long toldAt = toldAt(body, grant);
        long known = Math.max(
                Math.max(toldAt, body.side.changedAt), Math.max(body.side.troubleUntil, body.jvm.machine.pausedUntil));
        if (toldAt >= 0 && now() - known > bound && body.side.failures == 0) {
            boolean isThere = endOf(state, grant.id()) > 0 || body.former != null && endOf(state, body.former) > 0;
            check(isThere, "relied on after a message that it was released by force", grant.id());
        }
        if (changedAt >= this.forgottenAt && isRenewed && now() - since > bound && body.side.failures == 0) {
            boolean isThere = endOf(state, grant.id()) > 0 || body.former != null && endOf(state, body.former) > 0;
            check(isThere, "relied on although another server does not have it", grant.id());
        }
    }

    /** A loss is notified when the lease ends by the monotonic clock, unless the JVM was paused. */
    private void checkNotice(Body body, Grant grant, Moment time) {
        Machine machine = body.jvm.machine;
        long late = -grant.acquisition.remaining(new Moment(time.nanos(), 0));
        check(
                late < 2 * Simulation.LATEST_TIMER
                        || body.side.isDelayed()
                        || now() <= machine.pausedUntil + Simulation.LATEST_TIMER,
                "no notice of a loss",
                body);
    }

    // ---- Effects

    void sent(Side side, Sent sent) {
        check(side.jvm.isRunning(), "a command after giving up", sent.command);
        Command command = sent.command;
        Body returned = side.released;
        if (command instanceof Command.Release release && returned != null && returned.isReleasing(sent.acquisition)) {
            long rest = returned.keptUntil - side.jvm.machine.time().nanos();
            check(release.keepMillis() * MILLI >= rest, "released before the end of a minimum hold", returned);
            check(returned.keptUntil != 0 || release.keepMillis() == 0, "given back, but kept", returned);
        }
        Body first = side.firstWaiting(null);
        if (first != null && command instanceof Command.Acquire) {
            request(sent.acquisition.id, first.terms.lease());
        } else if (first != null && sent.successor != null) {
            request(sent.successor.id, first.terms.lease());
        }
        if (command instanceof Command.Release) {
            checkReaction(side, sent.acquisition);
        }
        if (leaseMillis(command) * MILLI >= 2 * this.simulation.watchdog) {
            this.longest.add((sent.successor != null ? sent.successor : sent.acquisition).id);
        }
        if (command instanceof Command.Acquire) {
            check(!holdsAlone(side), "an attempt behind an exclusive grant of its own JVM", sent.acquisition);
            return;
        }
        boolean renews = command instanceof Command.Renew || command instanceof Command.Downgrade;
        boolean isHeld = false;
        for (Body body : this.holding) {
            Grant grant = body.grant;
            if (grant != null && grant.acquisition == sent.acquisition && grant.isLive()) {
                isHeld = true;
                if (renews) {
                    body.renewSentAt = now();
                    boolean isSeldom = ++body.renewals * 10 * MILLI < now() - body.enteredAt + Simulation.SECOND;
                    check(isSeldom, "renewed too often", body);
                }
            }
        }
        check(renews || !isHeld, "released while it is held", sent.acquisition);
    }

    /** Others are granted the lock after the margin of a lease that is over: it is the time of the owner to react. */
    private void checkReaction(Side side, Acquisition acquisition) {
        this.reacting.removeIf(body -> !body.isAwaited() || !body.jvm.isRunning());
        for (Body body : this.reacting) {
            Grant lost = body.grant;
            // Until a downgrade is answered, the store may have the writer.
            if (lost != null
                    && body.isReacting()
                    && (lost.acquisition == acquisition || acquisition.id.equals(body.former))) {
                long least = Math.min(body.terms.lease(), this.simulation.watchdog);
                long claim = this.simulation.rules.claim();
                least = claim > 0 ? Math.min(least, claim) : least;
                long left = lost.acquisition.remaining(
                        new Moment(side.jvm.machine.time().nanos(), 0));
                check(-left >= least - Rules.usable(least), "released before its owner could react to the loss", body);
            }
        }
    }

    private static long leaseMillis(Command command) {
        if (command instanceof Command.Acquire acquire) {
            return acquire.leaseMillis();
        }
        if (command instanceof Command.Renew renew) {
            return renew.leaseMillis();
        }
        if (command instanceof Command.Downgrade downgrade) {
            return downgrade.leaseMillis();
        }
        return command instanceof Command.Release release && release.successor() != null
                ? release.successor().leaseMillis()
                : 0;
    }

    /** A nested hold requests a longer lease at once, unless many renewals have no reply. */
    void afterNesting(Body body, Grant grant, Terms nested) {
        check(
                !grant.isLive()
                        || nested.lease() < 2 * this.simulation.watchdog
                        || this.longest.contains(grant.id())
                        || body.former != null && this.longest.contains(body.former)
                        || grant.acquisition.renewalsOpen >= LocalLock.MAX_RENEWALS
                        || now() <= body.side.troubleUntil,
                "a longer lease is not requested",
                body);
    }

    void granted(Body body, Grant grant, Way way) {
        Side side = body.side;
        Moment time = side.jvm.machine.time();
        String id = grant.id();
        check(!body.hasEnded, "a grant after the end of the wait", body);
        check(body.caller == null || grant.kind().equals(body.caller.kind), "a grant of another kind", body);
        check(side.firstWaiting(body) == body, "granted before one that came earlier", body);
        check(!side.jvm.isStopped(), "a grant after the stop", body);
        check(grant.isHeld(time), "granted although it had expired", id);
        checkTimely(body);
        boolean isRight = grant.acquisition.isNotified() == side.reported.contains(id);
        check(way != Way.REPLY || isRight || this.restoredAt >= 0, "wrong about a message", id);
        boolean isConfirmed = side.lock.isConfirmed(grant);
        boolean mayJoin = isConfirmed || grant.acquisition.former == null;
        check(way == Way.MESSAGE ? !isConfirmed : way != Way.JOINED || mayJoin, "wrongly confirmed", id);
        Passes passed = this.passes.get(id);
        boolean isPassed = way == Way.LOCAL && passed != null;
        if (way == Way.JOINED) {
            checkJoined(grant, time);
        } else if (isPassed) {
            Body former = side.released;
            check(former != null && !former.isAtRisk, "passed on although it was at risk", id);
            check(former == null || former.keptUntil <= time.nanos(), "passed on before the end of a minimum hold", id);
            check(++passed.count <= this.simulation.rules.maxHandOvers(), "passed on too often", id);
            check(time.nanos() - passed.from < this.simulation.rules.handOverTime(), "passed on for too long", id);
            this.requested.put(id, body.terms.lease());
        } else {
            request(id, body.terms.lease());
            this.passes.put(id, new Passes(time.nanos()));
        }
        checkToken(grant, way);
        checkNoticeOfOthers(body, grant);
        checkLine(body);
        if (now() >= this.simulation.settledAt) {
            checkPrompt(body, id, way);
        }
        this.changedAt = now();
        this.holding.add(body);
        this.simulation.count(
                switch (way) {
                    case REPLY -> Seen.GRANTED_BY_REPLY;
                    case MESSAGE -> Seen.GRANTED_BY_MESSAGE;
                    case LOCAL -> isPassed ? Seen.PASSED_ON_IN_MEMORY : Seen.GRANTED_AS_SUCCESSOR;
                    case JOINED -> Seen.READERS_JOINED;
                    case DOWNGRADED -> Seen.DOWNGRADES;
                });
        if (grant.kind().mode() == LockMode.PERMIT) {
            this.simulation.count(isPassed ? Seen.PERMITS_PASSED_ON : Seen.PERMITS_GRANTED);
        }
        if (grant.kind().isShared() && way == Way.MESSAGE) {
            this.simulation.count(Seen.SHARED_BY_MESSAGE);
        }
    }

    private void checkJoined(Grant grant, Moment time) {
        long from = Moment.NEVER;
        for (Body other : this.holding) {
            Grant joined = other.grant;
            if (joined != null && joined.acquisition == grant.acquisition && joined.isLive()) {
                from = Math.min(from, joined.grantedAt);
                check(!other.isAtRisk, "joined a grant at risk", grant.id());
                check(joined.terms.isShareable(), "joined a reader that ends before others", grant.id());
            }
        }
        check(
                from == Moment.NEVER || time.nanos() - from < this.simulation.rules.handOverTime(),
                "joined too late",
                grant.id());
    }

    private void checkToken(Grant grant, Way way) {
        if (this.simulation.stepsBack || this.forgotten.contains(grant.id())) {
            return;
        }
        boolean isShared = grant.kind().isShared();
        // Readers that join share the token, also that of a writer which has become a reader.
        long least = (isShared ? this.largestExclusiveToken : this.largestToken) + (way == Way.JOINED ? 0 : 1);
        check(grant.token >= least, "a token that is not larger than an earlier one", grant.id());
        for (Body other : this.holding) {
            Grant held = other.grant;
            boolean isOther = held != null && held.isLive() && !held.id().equals(grant.id());
            boolean isPermit = grant.kind().mode() == LockMode.PERMIT && this.forgotten.isEmpty();
            check(!isPermit || !isOther || held.token != grant.token, "two permits with one token", grant.id());
        }
        this.largestToken = Math.max(this.largestToken, grant.token);
        if (!isShared) {
            this.largestExclusiveToken = grant.token;
        }
    }

    /** Before a grant, the loss of those that exclude it has been notified, unless their JVM was paused. */
    private void checkNoticeOfOthers(Body body, Grant grant) {
        if (!this.forgotten.isEmpty()) {
            return;
        }
        for (Body other : this.holding) {
            Grant held = other.grant;
            Machine machine = other.jvm.machine;
            boolean isAwake = now() > machine.disturbedAt + Simulation.LATEST_TIMER;
            boolean excludes =
                    held != null && (!held.kind().isShared() || !grant.kind().isShared());
            if (excludes && held.isLive() && isAwake && other.jvm.isRunning()) {
                // The monotonic clock that stood still makes a timer late by as much.
                check(
                        machine.suspendedAt > other.enteredAt || other.side.isDelayed(),
                        "granted before the loss of another grant was notified",
                        other);
            }
        }
    }

    /**
     * The first waiters of other JVMs are in the line, or have just left it, unless they wait for a grant of their JVM.
     */
    private void checkLine(Body granted) {
        LockState state = this.simulation.state(this);
        if (state == null || this.simulation.stepsBack || this.kinds.length == 2) {
            return;
        }
        for (Machine machine : this.simulation.machines) {
            Side side = machine.jvm.sides[this.index];
            Body first = side.firstWaiting(null);
            if (side == granted.side || first == null || machine.jvm.subscribedAt == Moment.NEVER || side.hasQueued()) {
                // The store grants nothing to an inbox without a receiver.
                continue;
            }
            long since = Math.max(
                    Math.max(first.enteredAt, side.changedAt), Math.max(side.troubleUntil, machine.disturbedAt));
            long bound = this.simulation.rules.poll() * 21 / 20 + HAND_OVER;
            long lostAt = Math.max(
                    Math.max(this.freeAt, Math.max(this.restoredAt, this.forgottenAt)),
                    Math.max(this.simulation.fullUntil, machine.jvm.subscribedAt));
            boolean joins = first.caller != null && first.caller.waitTime > 0;
            if (joins && now() - Math.max(since, lostAt) > bound && !holdsAlone(side)) {
                check(isKnown(state, side), "an earlier waiter of another JVM is not in the line", first);
            }
        }
    }

    private boolean holdsAlone(Side side) {
        for (Body body : this.holding) {
            if (body.side == side
                    && body.grant != null
                    && body.grant.isLive()
                    && !body.grant.kind().isShared()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the store has the candidate of that JVM, in the line or as a grant of which it has not been
     * notified yet.
     */
    private static boolean isKnown(LockState state, Side side) {
        boolean found = isCandidate(state.owner(), side);
        for (LockState.Entry entry : state.line()) {
            found |= isCandidate(entry.id(), side);
        }
        for (LockState.Entry entry : state.holders()) {
            found |= isCandidate(entry.id(), side);
        }
        return found;
    }

    private static boolean isCandidate(@Nullable String id, Side side) {
        if (id == null || !id.startsWith(side.jvm.name)) {
            return false;
        }
        Acquisition acquisition = side.lock.find(id);
        return acquisition != null && acquisition.phase == Acquisition.Phase.ASKING;
    }

    /**
     * Without faults, nothing but the time of commands and messages is between the moment at which a grant is possible
     * and the grant.
     */
    private void checkPrompt(Body body, String id, Way way) {
        long possible = Math.max(
                Math.max(body.enteredAt, this.simulation.settledAt), Math.max(this.changedAt, blockedUntil(body)));
        possible = Math.max(possible, this.keptUntil);
        long bound = HAND_OVER + (this.simulation.hasMessages ? 0 : this.simulation.rules.poll() * 3 / 2);
        Stored stored = way == Way.REPLY || way == Way.MESSAGE ? find(this.holders, id) : null;
        long storedAt = stored != null ? stored.grantedAt() : now();
        check(
                storedAt - possible < bound && now() - Math.max(storedAt, this.changedAt) < bound,
                "granted later than possible",
                body);
    }

    private long blockedUntil(Body body) {
        long until = 0;
        for (int i = 0; i < this.kinds.length; i++) {
            if (body.wasBehind || body.caller != null && this.kinds[i].equals(body.caller.kind)) {
                until = Math.max(until, this.blockedUntil[i]);
            }
        }
        return until;
    }

    void refused(Body body, Refusal refusal) {
        Side side = body.side;
        Waiter caller = body.caller;
        check(!body.hasEnded && caller != null, "two ends of a wait", body);
        boolean isSettled = now() >= this.simulation.settledAt;
        boolean isRejected = this.kinds.length == 2;
        switch (refusal.cause()) {
            case HELD_BY_OTHERS -> {
                this.simulation.count(Seen.REFUSED_HELD_BY_OTHERS);
                check(side.jvm.machine.time().nanos() >= caller.deadline, "refused too early", body);
                check(!isSettled || caller.waitTime == 0 || isRejected, "refused although nothing is wrong", body);
                beforeCommand(this.simulation.state(this));
                boolean isFact = blockedUntil(body) >= body.enteredAt
                        || !this.holding.isEmpty()
                        || this.changedAt >= body.enteredAt;
                check(isFact, "refused although the lock was free", body);
            }
            case STORE_FAILED -> {
                this.simulation.count(Seen.REFUSED_STORE_FAILED);
                boolean hasFailed = side.troubleUntil >= body.enteredAt
                        || side.jvm.machine.disturbedAt >= body.enteredAt
                        || side.hasQueued();
                check(hasFailed || isRejected, "refused because the store failed, which it did not", body);
                check(!isSettled || isRejected, "refused although nothing is wrong", body);
            }
            case QUEUE_FULL -> {
                this.simulation.count(Seen.REFUSED_QUEUE_FULL);
                checkLimit(side, body, caller);
                if (side.entering != body) {
                    this.simulation.count(Seen.REFUSED_QUEUE_FULL_LATER);
                }
            }
            case WITHDRAWN -> this.simulation.count(Seen.REFUSED_WITHDRAWN);
            case STOPPED -> {
                this.simulation.count(Seen.REFUSED_STOPPED);
                check(side.jvm.isStopped(), "refused by a stop that was not", body);
            }
        }
        if (refusal.cause() != Refusal.Cause.STOPPED) {
            checkTimely(body);
            checkCandidate(side, refusal, caller.isQueued);
        }
        this.changedAt = Math.max(this.changedAt, side.waiting.get(0) == body ? now() : 0);
    }

    /** A caller begins to count as a waiter when its attempt was refused. */
    void checkBeginning(Body front, Moment askedAt) {
        Waiter caller = front.caller;
        boolean mustCount =
                caller != null && caller.isQueued && caller.waitTime > 0 && askedAt.nanos() >= caller.enteredAt;
        check(!mustCount || caller.isWaiting, "waits without being counted", front);
    }

    /** At least as many others wait as the request permits. At its entry, the caller would have had to wait. */
    private void checkLimit(Side side, Body body, Waiter caller) {
        int ahead = 0;
        for (Waiter each = side.lock.waiters.first; each != null && each != caller; each = each.next) {
            ahead += each.isWaiting ? 1 : 0;
        }
        check(caller.waitTime > 0, "refused by a limit although it does not wait", body);
        check(ahead >= side.lock.rules.maxWaiters(caller.request), "refused below the limit", body);
        boolean mustWait = side.lock.waiters.first != null || !side.lock.mayAsk(caller);
        check(side.entering != body || mustWait, "refused by a limit although it could ask", body);
    }

    /**
     * A refusal states whether the store may still grant the lock; the last one says so only if the store has not
     * answered.
     */
    private void checkCandidate(Side side, Refusal refusal, boolean isQueued) {
        boolean isAsking = side.asking.stream().anyMatch(acquisition -> acquisition.phase == Acquisition.Phase.ASKING);
        check(!isQueued || !isAsking || refusal.mayBeGranted(), "may be granted, which is not stated", side.jvm);
        boolean isUndisturbed = isUndisturbed(side);
        boolean isKnown = isUndisturbed && isQueued && !isAsking;
        check(!isKnown || !refusal.mayBeGranted(), "may not be granted, which is stated", side.jvm);
        LockState state = this.simulation.state(this);
        if (state != null && isUndisturbed && side.waiting.size() == 1) {
            boolean isInLine = state.line().stream().anyMatch(entry -> isCandidate(entry.id(), side));
            check(!isInLine || refusal.mayBeGranted(), "refused although it is in the line", side.jvm);
        }
    }

    private static boolean isUndisturbed(Side side) {
        return side.troubleUntil == 0 && side.jvm.machine.disturbedAt == 0;
    }

    /**
     * Returns whether a message about the candidate must be believed: the store has answered, and nothing has gone
     * wrong since.
     */
    boolean isProof(Side side, Acquisition acquisition) {
        Body first = side.firstWaiting(null);
        return isUndisturbed(side)
                && !this.forced.containsKey(acquisition.id)
                // A message about a forced release is checked first.
                && !side.told.containsKey(acquisition.id)
                && acquisition.phase == Acquisition.Phase.ASKING
                // Another grant of the JVM may be gone, and be in the way until its loss is noticed.
                && (this.kinds.length == 1 || this.restoredAt < 0 && !side.lock.isHeld)
                && this.kinds.length != 2
                && this.simulation.rules.claim() > 0
                && first != null
                // The candidate of an earlier waiter may have begun while the store was full.
                && this.simulation.fullUntil == 0
                && first.enteredAt > this.restoredAt
                && first.terms.lease() >= this.simulation.rules.claim()
                && !side.asking.contains(acquisition)
                && !side.hasQueued()
                && side.jvm.serverChangedAt == 0
                && !this.simulation.stepsBack;
    }

    /**
     * Returns the waiter that a release must pass the grant on to, because nothing speaks against it; null: unknown.
     */
    @Nullable
    Body successorOf(Body body) {
        Grant grant = body.grant;
        Body next = body.side.firstWaiting(null);
        Terms usual = this.simulation.terms.get(0);
        if (grant == null || next == null || next.terms != usual || body.terms != usual || body.isAtRisk) {
            return null;
        }
        Passes passed = this.passes.get(grant.id());
        if (passed == null || next.caller == null || body.caller == null) {
            return null;
        }
        Moment time = body.jvm.machine.time();
        long since = time.nanos() - passed.from;
        long most = grant.kind().isShared() ? Long.MAX_VALUE : Rules.usable(since) / 1000;
        boolean isPassed = grant.isLive()
                && grant.kind().equals(next.caller.kind)
                && !grant.acquisition.isShared()
                && grant.acquisition.former == null
                && this.kinds.length != 2
                && body.keptUntil <= time.nanos()
                && since < this.simulation.rules.handOverTime()
                && passed.count < Math.min(this.simulation.rules.maxHandOvers(), most)
                && !this.longest.contains(grant.id())
                && !this.forced.containsKey(grant.id())
                && !body.side.told.containsKey(grant.id())
                && grant.acquisition.remaining(time) > usual.lease() / 2;
        return isPassed ? next : null;
    }

    /** Visitors see each waiter and each grant once. */
    private void checkVisits(Side side) {
        List<Object> visited = new ArrayList<>();
        side.lock.forEachWaiter(visited::add);
        side.lock.forEachGrant(visited::add);
        for (Body body : side.waiting) {
            check(body.caller == null || body.caller.isQueued == visited.remove(body.caller), "not visited", body);
        }
        for (Body body : this.holding) {
            check(body.side != side || body.grant == null || visited.remove(body.grant), "not visited", body);
        }
        check(visited.isEmpty(), "visited without a reason", visited);
    }

    /** A wait ends at most one command timeout after its time. Pauses do not count. */
    private void checkTimely(Body body) {
        Waiter caller = body.caller;
        if (caller != null && caller.deadline != Moment.NEVER) {
            Machine machine = body.jvm.machine;
            long paused = (machine.paused - body.pausedBefore) * 11 / 10;
            long latest =
                    caller.deadline + this.simulation.rules.commandTimeout() + paused + 2 * Simulation.LATEST_TIMER;
            check(machine.time().nanos() <= latest || body.side.failures > 0, "a wait that has ended too late", body);
        }
    }

    void downgraded(Body body, Grant reader) {
        Grant writer = body.grant;
        check(writer != null && !writer.isLive(), "downgraded beside the writer", body);
        check(reader.token == writer.token, "a reader that has not the token of the writer", body);
        check(reader.isHeld(body.jvm.machine.time()), "downgraded although it had expired", body);
        body.former = writer.id();
        request(reader.id(), Math.max(this.requested.get(writer.id()), body.terms.lease()));
        body.latestEnd = Moment.sum(body.latestEnd, body.terms.lease());
        body.grant = reader;
        body.isAtRisk = false;
        this.changedAt = now();
    }

    void lost(Body body, Grant grant, LossReason reason) {
        Machine machine = body.jvm.machine;
        Moment time = machine.time();
        check(body.grant == grant, "lost twice", body);
        boolean hasExpired = grant.acquisition.remaining(time) <= 0;
        boolean isDisturbed = now() - machine.disturbedAt < 3 * this.simulation.watchdog || body.side.failures > 0;
        switch (reason) {
            case EXPIRED -> {
                check(hasExpired, "lost before its end", body);
                boolean hasFailed = now() - body.side.troubleUntil < 3 * this.simulation.watchdog;
                boolean isTried = now() - body.renewSentAt < 2 * this.simulation.rules.commandTimeout();
                // A nested hold may request renewals after the last one, when it is too late.
                boolean isOverdue = time.nanos() >= Moment.sum(grant.grantedAt, body.terms.maxHold());
                boolean isRenewed = body.terms.isRenewed() && !isOverdue;
                check(isRenewed || body.isNested || !body.terms.isRenewed(), "lost by its longest hold", body);
                check(
                        !isRenewed || isDisturbed || hasFailed && isTried,
                        "a renewed grant has expired without a reason",
                        body);
                check(
                        !isRenewed || isDisturbed || body.isAtRisk || time.nanos() - grant.grantedAt < HAND_OVER,
                        "a renewed grant has expired that was not at risk",
                        body);
            }
            case MAX_HOLD ->
                check(
                        hasExpired && time.nanos() >= Moment.sum(grant.grantedAt, body.terms.maxHold()),
                        "lost before its end",
                        body);
            case OWNER_DIED -> check(body.leftAt != 0, "lost although its owner lives", body);
            case TAKEN_OVER, DELETED, REVOKED -> {
                boolean isFree = body.side.reply instanceof Reply.NotOwner none && none.isFree();
                boolean isRevoked = reason == LossReason.REVOKED;
                boolean isTold = body.side.told.containsKey(grant.id()) || body.side.told.containsKey(body.former);
                // A message about the writer may be older than the reader.
                boolean isUntold = toldAt(body.side, grant.id()) < 0;
                check(isRevoked ? isTold : isUntold || body.side.failures > 0, "not revoked", body);
                check(
                        isRevoked || isFree == (reason == LossReason.DELETED),
                        "not the reason that the store gives",
                        body);
                // Until a downgrade is confirmed, the replica may have the writer instead.
                boolean isUndone = body.former != null && this.restoredAt >= body.enteredAt;
                check(hasExpired || isUndone || isForgotten(grant), "lost although the store has it", body);
            }
            case FAILED -> check(body.side.failures > 0, "lost by an error that was not", body);
            case SHUTDOWN -> check(body.jvm.isStopped(), "lost by a stop that was not", body);
        }
        boolean mayReact = reason == LossReason.FAILED
                ? !body.isDead
                : hasExpired
                        && reason != LossReason.TAKEN_OVER
                        && reason != LossReason.DELETED
                        && reason != LossReason.REVOKED;
        if (mayReact) {
            this.reacting.add(body);
        }
        // Waiters find out by polling that a lease has ended.
        this.keptUntil =
                Math.max(this.keptUntil, Math.max(now(), this.storedEnd) + this.simulation.rules.poll() * 21 / 20);
        this.changedAt = now();
    }

    void atRisk(Body body, Grant grant, boolean begins) {
        check(body.isHolding(grant) && body.isAtRisk != begins, "at risk twice, or recovered without a risk", body);
        boolean hasReason = body.side.troubleUntil >= now() - 3 * this.simulation.watchdog
                || now() - body.jvm.machine.disturbedAt < 3 * this.simulation.watchdog;
        check(!begins || hasReason, "at risk without a reason", body);
        body.isAtRisk = begins;
    }

    void releaseRequested(Body body, Grant grant) {
        check(body.isHolding(grant) && body.asked != grant, "asked twice, or after its end", body);
        Acquisition former = grant.acquisition.former;
        String id = body.side.inRequest;
        Set<String> concerned = !body.isNext ? body.side.requested : id != null ? Set.of(id) : Set.of();
        check(
                // A writer that was asked becomes a reader that is asked.
                isAmong(concerned, body) || former != null && (body.asked != null || concerned.contains(former.id)),
                "asked to release without a request",
                body);
        body.asked = grant;
    }

    /**
     * Whoever has an id that was asked to be released knows it, unless the grant was handed over in memory after the
     * request.
     *
     * @param id the id about which a message has just come; null: another input was processed
     */
    void checkRequests(Side side, @Nullable String id) {
        side.lock.forEachGrant(grant -> {
            Body body = (Body) grant.owner;
            Set<String> concerned = !body.isNext ? side.requested : id != null ? Set.of(id) : Set.of();
            check(
                    body.asked == grant || !isAmong(concerned, body) || side.failures > 0,
                    "not asked although its id is requested",
                    body);
        });
    }

    /** Returns whether the id of the owner is among the given ones, or that of the writer that it was. */
    private static boolean isAmong(Set<String> requested, Body body) {
        String present = body.grant != null ? body.grant.id() : "";
        return requested.contains(present) || (body.former != null && requested.contains(body.former));
    }

    void released(Body body, Grant grant, @Nullable LockStoreException failure) {
        check(--body.releasesOpen >= 0, "released twice", body);
        body.side.releasesOpen--;
        check(
                failure == null || now() < this.simulation.settledAt,
                "a release has failed although nothing is wrong",
                body);
        this.changedAt = now();
    }

    /** Returns whether the release of the acquisition waits for an owner that has lost its grant. */
    boolean isAwaited(Acquisition acquisition) {
        for (Body body : this.reacting) {
            if (body.isAwaited()
                    && body.grant != null
                    && (body.grant.acquisition == acquisition || body.grant.acquisition.former == acquisition)) {
                return true;
            }
        }
        return false;
    }

    /** A grant of which the JVM is notified is used, or released at once. */
    void afterMessage(Side side, String id) {
        if (!id.isEmpty() && !side.jvm.isStopped()) {
            Acquisition acquisition = side.lock.find(id);
            boolean isUsed = acquisition != null && acquisition.phase != Acquisition.Phase.ENDING;
            check(
                    isUsed || acquisition != null && (side.releasing.contains(acquisition) || isAwaited(acquisition)),
                    "a grant that is not wanted is not released",
                    id);
        }
    }

    /** After messages may have been lost, a candidate asks at once. */
    void afterGap(Side side, int acquiresBefore) {
        boolean asks = side.acquires > acquiresBefore;
        check(
                asks
                        || holdsAlone(side)
                        || Invariants.isDowngrading(side.lock)
                        || side.hasQueued()
                        || side.firstWaiting(null) == null,
                "no attempt after a gap in the messages",
                side.jvm);
    }

    void atEnd(@Nullable LockState state) {
        checkBelief();
        check(state == null, "something left in the store", state == null ? "" : String.valueOf(state.owner()));
        check(this.holding.isEmpty(), "something held at the end", this.holding);
    }

    private long now() {
        return this.simulation.now;
    }
}
