package io.github.lockstarter.store;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.text.LoggedNames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One lock of a {@link LockTable}: its owner or its holders, and its waiting line. Only commands change it. Not
 * thread-safe.
 *
 * <p>A holder or an entry whose time is over may still be there: it is removed by the next command that depends on it.
 */
public final class LockState {

    /*
     * Implementation note.
     *
     * The methods for commands are the scripts of the Redis store, and most others are the functions of lock.lua and
     * entry.lua with the same names, where the reasons are explained. A test compares replies and state with the
     * scripts after each of many random commands, so that a change here is a change there. The fields are those of the
     * hash:
     *
     *   owner, shared: o · token: f · first, last, due, entries of the line: q, e and w · used, soonest, named,
     *   holders: s and h · endsAt: the expiry of the key. Times are milliseconds of the store's clock.
     *
     * A script writes at its end, so that one which only refuses has not removed what has expired either. Here, a
     * command that may remove something works on a copy, which the table stores if the command has written.
     *
     * Invariants: a lock that is not free has an owner or holders, not both · an id is never a holder and in the line ·
     * places grow along the line, between first and last · no holder ends before soonest or after endsAt, and no entry
     * before due.
     */

    /** Largest number of holders, because the time of the few steps that read all of them is limited. */
    private static final int MAX_HOLDERS = 10_000;

    /** Waiters in these places poll in the shortest interval. */
    private static final int FIRST_PLACES = 8;

    /** The longest interval, in shortest ones. */
    private static final int MAX_INTERVAL = 32;

    /** Waiters in these places poll soon after a deadline, so that the entry is removed. */
    private static final int WATCHING_PLACES = 32;

    /** Places that a line has beyond two for each entry, at most. */
    private static final int SPARE_PLACES = 1000;

    private static final long NEVER = Long.MAX_VALUE;

    private final LockTable table;

    private final String name;

    /** Null in shared use. */
    @Nullable
    String owner;

    /** What the holders share; null if the lock has one owner. */
    @Nullable
    LockMode shared;

    /** The largest token so far. */
    long token;

    /** The last millisecond at which the lock exists. */
    long endsAt;

    /** In the order of the grants. */
    final List<Entry> holders = new ArrayList<>(0);

    /** Sum of the weights of the holders. */
    int used;

    long soonest;

    /** Id of the holder that a refusal names; empty if the next refusal chooses one. */
    String named = "";

    final List<Entry> line = new ArrayList<>(0);

    int first;

    int last;

    long due = NEVER;

    /** Whether the command has counted the holders, so that the lock does not end before the last of them. */
    private boolean isCounted;

    private boolean isWritten;

    LockState(LockTable table, String name, long token) {
        this.table = table;
        this.name = name;
        this.token = token;
    }

    /** Returns the full name of the lock. */
    public String name() {
        return this.name;
    }

    /**
     * Returns the id of the exclusive owner, with a prefix while the lock is kept for a minimum hold; null in shared
     * use.
     */
    public @Nullable String owner() {
        return this.owner;
    }

    /** Returns whether the owner is kept for a minimum hold. */
    public boolean isKept() {
        return this.owner != null && GrantKind.isKept(this.owner);
    }

    /** Returns what the holders share; null if the lock has one owner. */
    public @Nullable LockMode shared() {
        return this.shared;
    }

    /** Returns the largest fencing token so far. */
    public long token() {
        return this.token;
    }

    /** Returns the first microsecond at which the lock does not exist any more, nor its owner. */
    public long endsAtMicros() {
        return (this.endsAt + 1) * 1000;
    }

    /** Returns an unmodifiable view of the holders in the order of the grants; empty if the lock has one owner. */
    public List<Entry> holders() {
        return Collections.unmodifiableList(this.holders);
    }

    /** Returns an unmodifiable view of the waiting line. */
    public List<Entry> line() {
        return Collections.unmodifiableList(this.line);
    }

    /** Returns the holder with that id; null if there is none. */
    public @Nullable Entry holder(String id) {
        return find(this.holders, id);
    }

    /** Returns the entry of the line with that id; null if there is none. */
    public @Nullable Entry waiting(String id) {
        return find(this.line, id);
    }

    private static @Nullable Entry find(List<Entry> entries, String id) {
        for (Entry entry : entries) {
            if (entry.id.equals(id)) {
                return entry;
            }
        }
        return null;
    }

    boolean exists(long millis) {
        return millis <= this.endsAt;
    }

    boolean isFree() {
        return this.owner == null && this.holders.isEmpty();
    }

    /** Returns whether a command must work on a copy, see the implementation note. */
    boolean mustCopy() {
        boolean mayCleanLine = !this.line.isEmpty() && mustCleanLine();
        boolean mayCount = !this.holders.isEmpty() && this.table.millis >= this.soonest;
        boolean mayReachLimit =
                this.holders.size() < MAX_HOLDERS && this.holders.size() + this.line.size() >= MAX_HOLDERS;
        return mayCleanLine || mayCount || mayReachLimit;
    }

    LockState copyTo(LockTable copied) {
        LockState copy = new LockState(copied, this.name, this.token);
        copy.owner = this.owner;
        copy.shared = this.shared;
        copy.endsAt = this.endsAt;
        this.holders.forEach(holder -> copy.holders.add(holder.copy()));
        copy.used = this.used;
        copy.soonest = this.soonest;
        copy.named = this.named;
        this.line.forEach(entry -> copy.line.add(entry.copy()));
        copy.first = this.first;
        copy.last = this.last;
        copy.due = this.due;
        return copy;
    }

    /** Returns whether the lock was changed since the last call. */
    boolean takeWritten() {
        boolean written = this.isWritten;
        this.isWritten = false;
        return written;
    }

    Reply execute(Command command) {
        if (command instanceof Command.Acquire acquire) {
            requireId(acquire.id());
            return acquire(acquire, GrantKind.of(acquire.id()));
        }
        if (command instanceof Command.Release release) {
            requireId(release.keepMillis() > 0 ? release.id() : GrantKind.withoutKept(release.id()));
            return release.keepMillis() > 0 ? keep(release.id(), release.keepMillis()) : release(release);
        }
        if (command instanceof Command.Renew renew) {
            requireId(renew.id());
            return renew(renew.id(), this.table.millis + renew.leaseMillis());
        }
        if (command instanceof Command.Downgrade downgrade) {
            requireId(downgrade.id());
            return downgrade(downgrade);
        }
        return new Reply.Described(inspect(((Command.Inspect) command).ownerOnly()));
    }

    private void requireId(String id) {
        if (GrantKind.isMarker(id)) {
            throw rejected("has a command whose id is that of no acquisition.");
        }
    }

    private Reply acquire(Command.Acquire command, GrantKind kind) {
        String id = command.id();
        long end = this.table.millis + command.leaseMillis();
        if (id.equals(this.owner)) {
            endNotBefore(end);
            return new Reply.Granted(this.token);
        }
        boolean isOwned = this.owner != null && !isKept();
        Entry waiting = isOwned && command.join() && !mustCleanLine() ? find(this.line, id) : null;
        if (waiting != null) {
            this.isWritten = true;
            return taken(poll(waiting));
        }
        read(id);
        boolean isPermit = kind.mode() == LockMode.PERMIT;
        if (!isFree() && isPermit != (this.shared == LockMode.PERMIT)) {
            throw kind.rejectedUse(this.name);
        }
        long granted = grantLine(id, command.leaseMillis(), false);
        Entry holder = find(this.holders, id);
        if (granted == 0 && holder != null) {
            extend(holder, end);
            granted = holder.token;
        }
        long interval = 0;
        if (granted == 0 && !hasEnded(id)) {
            if (this.line.isEmpty() && fits(kind)) {
                granted = grant(id, kind, command.leaseMillis());
            } else if (kind.isShared() && this.holders.size() >= MAX_HOLDERS) {
                throw rejected("has " + this.holders.size()
                        + " holders, which is the limit. Distribute the holders over several locks, for"
                        + " example by a key.");
            } else if (command.join()) {
                interval = join(id, kind);
            }
        }
        if (granted == 0 && this.shared != null && this.named.isEmpty()) {
            countHolders();
        }
        this.isWritten = true;
        return granted != 0 ? new Reply.Granted(granted) : taken(interval);
    }

    private LockStoreException rejected(String problem) {
        // The store does not know whether keys may be logged.
        String shown = LoggedNames.WITHOUT_KEYS.of(this.name);
        return new LockStoreException("The lock '" + shown + "' " + problem, null, false, false);
    }

    private Reply taken(long pollMillis) {
        long end = this.shared != null ? this.soonest : this.endsAt;
        String shown = GrantKind.withoutKept(this.owner != null ? this.owner : this.named);
        return new Reply.Taken(Math.max(end - this.table.millis, 1), shown, this.token, this.used, pollMillis);
    }

    /**
     * Returns whether the acquisition has ended in a minimum hold or in a downgrade. Only a writer becomes a reader.
     */
    private boolean hasEnded(String id) {
        if (this.shared == null) {
            return isKept()
                    && GrantKind.withoutKept(Objects.requireNonNull(this.owner)).equals(id);
        }
        String reader = GrantKind.readerOf(id);
        boolean isReader = find(this.holders, reader) != null || find(this.holders, GrantKind.keptOf(reader)) != null;
        return find(this.holders, GrantKind.keptOf(id)) != null
                || (isReader && !GrantKind.of(id).isShared());
    }

    private Reply renew(String id, long end) {
        if (this.shared == null) {
            if (!id.equals(this.owner)) {
                return notOwner();
            }
            endNotBefore(end);
            return Reply.Renewed.INSTANCE;
        }
        Entry holder = find(this.holders, id);
        if (holder == null || holder.deadline <= this.table.millis) {
            return Reply.NotOwner.FREE;
        }
        if (end > holder.deadline) {
            holder.deadline = end;
            endNotBefore(end);
        }
        return Reply.Renewed.INSTANCE;
    }

    private Reply notOwner() {
        return isFree() ? Reply.NotOwner.FREE : Reply.NotOwner.TAKEN;
    }

    private void endNotBefore(long end) {
        this.endsAt = Math.max(this.endsAt, end);
        this.isWritten = true;
    }

    private Reply release(Command.Release command) {
        String id = command.id();
        Successor successor = command.successor();
        read(successor != null ? successor.acquisitionId() : "");
        // An acquisition that has ended must not join the line, because a grant to it would never be claimed.
        if (successor != null && hasEnded(successor.acquisitionId())) {
            successor = null;
        }
        String next = successor != null ? successor.acquisitionId() : "";
        long lease = successor != null ? successor.leaseMillis() : 0;
        boolean isOwner = id.equals(this.owner) || find(this.holders, id) != null;
        if (isOwner) {
            endGrant(id, command.lastToken());
        }
        Entry holder = find(this.holders, next);
        if (holder != null) {
            extend(holder, this.table.millis + lease);
            grantLine("", 0, true);
            this.isWritten = true;
            return new Reply.Granted(holder.token);
        }
        if (!isOwner) {
            return releaseAgain(id, next, lease);
        }
        if (successor != null) {
            long unused = join(next, GrantKind.of(next));
        }
        long granted = grantLine(next, lease, true);
        this.isWritten = true;
        if (granted != 0) {
            return new Reply.Granted(granted);
        }
        return successor != null ? new Reply.InLine(this.token) : Reply.Released.INSTANCE;
    }

    /**
     * Releases an acquisition without a grant: in a repetition, which its successor proves, or because it leaves the
     * line.
     */
    private Reply releaseAgain(String id, String next, long lease) {
        if (next.equals(this.owner)) {
            endNotBefore(this.table.millis + lease);
            return new Reply.Granted(this.token);
        }
        if (find(this.line, next) != null) {
            return new Reply.InLine(this.token);
        }
        Entry entry = find(this.line, id);
        if (entry == null) {
            return notOwner();
        }
        remove(entry);
        // Those behind it may fit.
        grantLine("", 0, true);
        this.isWritten = true;
        return Reply.LeftLine.INSTANCE;
    }

    private Reply keep(String id, long keepMillis) {
        long end = this.table.millis + keepMillis;
        String kept = GrantKind.keptOf(id);
        read("");
        if (id.equals(this.owner) || kept.equals(this.owner)) {
            this.endsAt = kept.equals(this.owner) ? Math.min(this.endsAt, end) : end;
            this.owner = kept;
            this.isWritten = true;
            return Reply.Released.INSTANCE;
        }
        Entry holder = find(this.holders, id);
        if (holder != null) {
            holder.id = kept;
            holder.deadline = end;
        } else {
            holder = find(this.holders, kept);
        }
        if (holder == null) {
            return notOwner();
        }
        holder.deadline = Math.min(holder.deadline, end);
        this.named = this.named.equals(id) ? kept : this.named;
        setHolder(holder);
        this.isWritten = true;
        return Reply.Released.INSTANCE;
    }

    private Reply downgrade(Command.Downgrade command) {
        read("");
        String reader = GrantKind.readerOf(command.id());
        Entry holder = find(this.holders, reader);
        if (command.id().equals(this.owner)) {
            Entry waiting = find(this.line, reader);
            if (waiting != null) {
                remove(waiting);
            }
            this.owner = null;
            this.shared = LockMode.READ;
            this.used = 1;
            this.named = reader;
            this.soonest = NEVER;
            this.token = Math.max(this.token, command.lastToken());
            // The lease of the writer may be longer, and its client relies on it until the reply.
            holder = new Entry(reader, GrantKind.READER, this.token, this.endsAt);
            this.holders.add(holder);
        }
        if (holder == null) {
            return notOwner();
        }
        extend(holder, this.table.millis + command.leaseMillis());
        grantLine("", 0, true);
        this.isWritten = true;
        return new Reply.Granted(holder.token);
    }

    private @Nullable StoredLock inspect(boolean ownerOnly) {
        long remaining = this.endsAt - this.table.millis;
        read("");
        if (isFree()) {
            return null;
        }
        String shown = this.owner != null ? this.owner : this.holders.get(0).id;
        if (ownerOnly) {
            return new StoredLock(this.owner, 0, -1, -1);
        }
        List<String> ids =
                this.line.stream().limit(StoredLock.MAX_IN_LINE).map(Entry::id).toList();
        List<StoredHolder> described = new ArrayList<>();
        for (Entry holder : this.holders) {
            long left = holder.deadline - this.table.millis;
            described.add(new StoredHolder(holder.id, holder.token, left, holder.kind.weight()));
        }
        return new StoredLock(shown, this.token, remaining, this.line.size(), ids, described);
    }

    /** Begins a command. The caller is alive, whatever the deadline of its entry. */
    private void read(String caller) {
        this.isCounted = false;
        if (this.shared != null && this.table.millis >= this.soonest) {
            countHolders();
        }
        if (this.line.isEmpty()) {
            this.due = NEVER;
        } else if (mustCleanLine()) {
            cleanLine(caller);
        }
    }

    private boolean mustCleanLine() {
        return this.table.millis >= this.due || this.last - this.first >= 2 * this.line.size() + SPARE_PLACES;
    }

    /** Adds up the holders that are alive, and removes the others; the one that lasts longest is named. */
    private void countHolders() {
        this.used = 0;
        this.soonest = NEVER;
        this.named = "";
        long latest = 0;
        this.holders.removeIf(holder -> holder.deadline <= this.table.millis);
        for (Entry holder : this.holders) {
            this.used += holder.weight();
            this.soonest = Math.min(this.soonest, holder.deadline);
            if (holder.deadline > latest || (holder.deadline == latest && holder.id.compareTo(this.named) > 0)) {
                latest = holder.deadline;
                this.named = holder.id;
            }
        }
        this.endsAt = latest;
        this.isCounted = true;
        this.shared = this.used == 0 ? null : this.shared;
    }

    /** Removes the entries whose deadline is over, and moves the others together if most places are empty. */
    private void cleanLine(String caller) {
        this.due = NEVER;
        this.line.removeIf(entry -> entry.deadline <= this.table.millis && !entry.id.equals(caller));
        for (Entry entry : this.line) {
            this.due = Math.min(this.due, Math.max(entry.deadline, this.table.millis + 1));
        }
        if (this.last - this.first >= 2 * this.line.size()) {
            this.first = 1;
            this.last = 0;
            for (Entry entry : this.line) {
                this.last++;
                entry.place = this.last;
            }
        }
    }

    private void remove(Entry entry) {
        this.line.remove(entry);
        if (!this.line.isEmpty()) {
            this.first = this.line.get(0).place;
            this.last = entry.place == this.last ? this.line.get(this.line.size() - 1).place : this.last;
        }
    }

    /**
     * Puts the acquisition at the end of the line, or sets its deadline again; returns the milliseconds until it polls.
     */
    private long join(String id, GrantKind kind) {
        Entry entry = find(this.line, id);
        if (entry == null) {
            if (this.line.isEmpty()) {
                this.first = 1;
                this.last = 0;
            }
            this.last++;
            entry = new Entry(id, kind, 0, 0);
            entry.place = this.last;
            this.line.add(entry);
        }
        long interval = poll(entry);
        this.due = Math.min(this.due, entry.deadline);
        return interval;
    }

    private long poll(Entry entry) {
        int ahead = Math.min(entry.place - this.first, this.line.size() - 1);
        long shortest = this.table.claimMillis / 2;
        long interval = Math.max(shortest, (shortest * ahead + FIRST_PLACES - 1) / FIRST_PLACES);
        interval = Math.min(interval, shortest * MAX_INTERVAL);
        if (ahead < WATCHING_PLACES && this.due != NEVER) {
            interval = Math.min(interval, Math.max(shortest, this.due - this.table.millis + shortest));
        }
        entry.deadline = Math.max(entry.deadline, this.table.millis + 3 * interval);
        entry.inbox = this.table.inbox;
        return interval;
    }

    private boolean fits(GrantKind kind) {
        if (this.owner != null || this.holders.size() >= MAX_HOLDERS) {
            return false;
        }
        boolean isWithinLimit = kind.mode() == LockMode.READ || this.used + kind.weight() <= kind.limit();
        return this.used == 0 || (kind.mode() == this.shared && isWithinLimit);
    }

    /** Grants the lock, and returns the token. */
    private long grant(String id, GrantKind kind, long leaseMillis) {
        long granted = Math.max(this.table.micros, this.token + 1);
        long end = this.table.millis + leaseMillis;
        this.token = granted;
        if (this.used == 0) {
            this.soonest = NEVER;
            this.named = "";
            this.isCounted = false;
        }
        if (kind.isShared()) {
            this.named = this.named.isEmpty() ? id : this.named;
            this.shared = kind.mode();
            Entry holder = new Entry(id, kind, granted, end);
            this.used += holder.weight();
            this.holders.add(holder);
            setHolder(holder);
        } else {
            this.owner = id;
            this.shared = null;
            this.endsAt = end;
        }
        return granted;
    }

    private void extend(Entry holder, long deadline) {
        holder.deadline = Math.max(holder.deadline, deadline);
        setHolder(holder);
    }

    /** Notes the deadline of a holder. */
    private void setHolder(Entry holder) {
        this.soonest = Math.min(this.soonest, holder.deadline);
        // The lease of the only holder is that of the lock.
        boolean isOnlyLater = this.holders.size() > 1 || this.isCounted;
        this.endsAt = isOnlyLater ? Math.max(this.endsAt, holder.deadline) : holder.deadline;
    }

    private void endGrant(String id, long lastToken) {
        Entry holder = find(this.holders, id);
        this.owner = null;
        if (holder != null) {
            this.holders.remove(holder);
            this.used -= holder.weight();
            this.named = this.named.equals(id) ? "" : this.named;
            if (this.holders.isEmpty()) {
                this.shared = null;
            } else if (this.holders.size() == 1 && !this.named.isEmpty()) {
                this.endsAt = this.holders.get(0).deadline;
            }
        }
        this.token = Math.max(this.token, lastToken);
    }

    /**
     * Grants the lock along the line, as far as the first ones fit. The grant to {@code caller}, which asks at this
     * moment, has a lease of its own; the others must claim theirs. Returns the token of the caller's grant, or 0.
     */
    private long grantLine(String caller, long leaseMillis, boolean countsReceivers) {
        long own = 0;
        while (this.owner == null && !this.line.isEmpty()) {
            Entry head = this.line.get(0);
            boolean isCaller = head.id.equals(caller);
            boolean isAlive = head.deadline > this.table.millis || isCaller;
            this.first = head.place;
            if (isAlive && !fits(head.kind)) {
                break;
            }
            remove(head);
            if (isCaller) {
                own = grant(head.id, head.kind, leaseMillis);
            } else if (isAlive
                    && (!countsReceivers
                            || head.inbox.isEmpty()
                            || head.deadline - this.table.millis >= this.table.claimMillis
                            || this.table.hasReceivers(head.inbox))) {
                long granted = grant(head.id, head.kind, this.table.claimMillis);
                if (!head.inbox.isEmpty()) {
                    this.table.granted(this.name, head.inbox, head.id, granted);
                }
            }
        }
        return own;
    }

    /** A holder in shared use, or an entry of the waiting line. */
    public static final class Entry {

        final GrantKind kind;

        final long token;

        String id;

        long deadline;

        int place;

        String inbox = "";

        Entry(String id, GrantKind kind, long token, long deadline) {
            this.id = id;
            this.kind = kind;
            this.token = token;
            this.deadline = deadline;
        }

        private Entry copy() {
            Entry copy = new Entry(this.id, this.kind, this.token, this.deadline);
            copy.place = this.place;
            copy.inbox = this.inbox;
            return copy;
        }

        /** Returns the id as it is stored: with a prefix while the holder is kept for a minimum hold. */
        public String id() {
            return this.id;
        }

        /** Returns whether the holder is kept for a minimum hold. */
        public boolean isKept() {
            return GrantKind.isKept(this.id);
        }

        /** Returns what the acquisition requests. */
        public GrantKind kind() {
            return this.kind;
        }

        /** Returns the number of permits, 1 for a reader. */
        public int weight() {
            return Math.max(this.kind.weight(), 1);
        }

        /** Returns the fencing token of a holder; 0 in the line. */
        public long token() {
            return this.token;
        }

        /** Returns the first microsecond at which the holder or entry does not count any more. */
        public long endsAtMicros() {
            return this.deadline * 1000;
        }
    }
}
