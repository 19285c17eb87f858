package io.github.lockstarter.store;

import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.text.Printable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The locks of a store that behaves as the Redis store does: leases expire, tokens grow, and waiters queue in a line.
 * Has no clock and no thread: each command states the time at which it is executed. Not thread-safe.
 */
public final class LockTable {

    /** Number of commands after which expired locks are removed, as Redis removes keys that nothing reads any more. */
    private static final int REMOVE_EVERY = 1000;

    /** Milliseconds in which a grant from the line must be claimed. */
    final long claimMillis;

    /** Time of the command that is being executed. */
    long micros;

    /** The same in milliseconds. */
    long millis;

    /** Inbox of the instance that has sent the command. */
    String inbox = "";

    private final Map<String, LockState> locks = new HashMap<>();

    private final boolean remembersTokens;

    /** Grants that the command has made along the line. */
    private final List<Grant> grants = new ArrayList<>();

    /** Descriptions of instances, with the last millisecond at which each exists. */
    private final Map<String, Map.Entry<LockHolder, Long>> instances = new HashMap<>();

    private int commands;

    private @Nullable Inboxes inboxes;

    /** The largest token of the locks that have been removed; 0 unless tokens are remembered. */
    private long largestToken;

    /** A grant from the line, and the inbox of its instance. */
    private record Grant(String lock, String inbox, String id, long token) {}

    /**
     * Creates an empty table.
     *
     * @param claimMillis milliseconds in which a grant from the line must be claimed: twice the shortest interval of
     *     polls
     * @param remembersTokens whether the token of a grant is larger than all earlier ones of the lock even if the clock
     *     does not advance. Otherwise, as in Redis, the token for a lock that is free is the time alone
     */
    public LockTable(long claimMillis, boolean remembersTokens) {
        this.claimMillis = claimMillis;
        this.remembersTokens = remembersTokens;
    }

    /**
     * Executes a command as one atomic step.
     *
     * @param micros the time in microseconds since 1970, at least 1
     * @param inbox inbox of the instance that sends the command, for an acquisition that joins the line; empty: it only
     *     polls
     * @throws LockStoreException if the lock is used for permits and as a lock, or has too many holders; nothing has
     *     changed then
     * @throws IllegalArgumentException if the description of the command forbids its values; nothing has changed then
     */
    public Reply execute(Command command, long micros, String inbox, Inboxes inboxes) {
        requireValid(command);
        this.micros = micros;
        this.millis = micros / 1000;
        this.inbox = inbox;
        this.inboxes = inboxes;
        this.grants.clear();
        this.commands++;
        if (this.commands % REMOVE_EVERY == 0) {
            removeExpired(micros);
        }
        Reply reply = execute(command);
        this.grants.forEach(grant -> inboxes.publish(grant.lock, grant.inbox, grant.id, grant.token));
        return reply;
    }

    /** Rejects what {@link Command} forbids: a script would execute it in some way. */
    static void requireValid(Command command) {
        boolean isValid = true;
        if (command instanceof Command.Acquire acquire) {
            isValid = acquire.leaseMillis() > 0;
        } else if (command instanceof Command.Renew renew) {
            isValid = renew.leaseMillis() > 0;
        } else if (command instanceof Command.Downgrade downgrade) {
            isValid = downgrade.leaseMillis() > 0;
        } else if (command instanceof Command.PublishInstance publish) {
            isValid = publish.ttlMillis() > 0;
        } else if (command instanceof Command.RenewAll all) {
            List<Long> leases = all.renewals().stream()
                    .map(Command.Renew::leaseMillis)
                    .distinct()
                    .toList();
            isValid = leases.size() == 1 && leases.get(0) > 0;
        } else if (command instanceof Command.Release release) {
            Successor next = release.successor();
            isValid = release.lastToken() >= 0
                    && release.keepMillis() >= 0
                    && (next == null || (release.keepMillis() == 0 && next.leaseMillis() > 0));
        }
        if (!isValid) {
            throw new IllegalArgumentException(
                    Printable.of("A command must not have these values, see the Javadoc of Command."
                            + command.getClass().getSimpleName() + ": " + command));
        }
    }

    private Reply execute(Command command) {
        if (command instanceof Command.PublishInstance publish) {
            LockHolder instance = publish.instance();
            this.instances.put(instance.instance(), Map.entry(instance, this.millis + publish.ttlMillis()));
            return Reply.Done.INSTANCE;
        }
        if (command instanceof Command.FindInstance find) {
            Map.Entry<LockHolder, Long> found = this.instances.get(find.instance());
            return new Reply.Instance(found != null && this.millis <= found.getValue() ? found.getKey() : null);
        }
        if (command instanceof Command.RenewAll renewAll) {
            List<Reply> outcomes = new ArrayList<>(renewAll.renewals().size());
            renewAll.renewals().forEach(renewal -> outcomes.add(executeForOneLock(renewal)));
            return new Reply.RenewedAll(outcomes);
        }
        return executeForOneLock(command);
    }

    private Reply executeForOneLock(Command command) {
        String name = command.lock();
        LockState stored = this.locks.get(name);
        if (stored != null && !stored.exists(this.millis)) {
            this.locks.remove(name);
            remember(stored);
            stored = null;
        }
        LockState lock = stored;
        if (lock == null) {
            lock = new LockState(this, name, this.largestToken);
        } else if (lock.mustCopy() || command instanceof Command.Inspect) {
            lock = lock.copyTo(this);
        }
        Reply reply = lock.execute(command);
        if (lock.isFree()) {
            if (stored != null && lock.takeWritten()) {
                this.locks.remove(name);
                remember(lock);
            }
        } else if (lock.takeWritten() && lock != stored) {
            this.locks.put(name, lock);
        }
        return reply;
    }

    private void remember(LockState removed) {
        this.largestToken = this.remembersTokens ? Math.max(this.largestToken, removed.token()) : 0;
    }

    boolean hasReceivers(String receiver) {
        return this.inboxes == null || this.inboxes.hasReceivers(receiver);
    }

    void granted(String lock, String receiver, String id, long token) {
        this.grants.add(new Grant(lock, receiver, id, token));
    }

    /** Returns the lock; null if it is free at this time in microseconds. */
    public @Nullable LockState find(String lock, long micros) {
        LockState found = this.locks.get(lock);
        return found != null && found.exists(micros / 1000) ? found : null;
    }

    /** Returns an unmodifiable view of the locks, which may contain expired ones. */
    public Collection<LockState> locks() {
        return Collections.unmodifiableCollection(this.locks.values());
    }

    /** Removes the locks and the descriptions of instances that have expired at this time in microseconds. */
    public void removeExpired(long micros) {
        this.instances.values().removeIf(published -> published.getValue() < micros / 1000);
        this.locks.values().removeIf(lock -> {
            boolean isExpired = !lock.exists(micros / 1000);
            if (isExpired) {
                remember(lock);
            }
            return isExpired;
        });
    }

    /** Returns a copy that shares nothing with this table. */
    public LockTable copy() {
        LockTable copy = new LockTable(this.claimMillis, this.remembersTokens);
        this.locks.forEach((name, lock) -> copy.locks.put(name, lock.copyTo(copy)));
        copy.instances.putAll(this.instances);
        copy.largestToken = this.largestToken;
        return copy;
    }

    /** Removes everything, and forgets the tokens. */
    public void clear() {
        this.locks.clear();
        this.instances.clear();
        this.largestToken = 0;
    }

    /** The inboxes of the instances. Must not call the table. */
    public interface Inboxes {

        /**
         * Publishes that a command has granted the lock from the line.
         *
         * @param id id of the acquisition
         * @param token fencing token of the grant
         */
        void publish(String lock, String inbox, String id, long token);

        /** Returns false if the instance of that inbox is known to be gone. */
        boolean hasReceivers(String inbox);
    }
}
