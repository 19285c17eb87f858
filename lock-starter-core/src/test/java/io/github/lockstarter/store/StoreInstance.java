package io.github.lockstarter.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.AcquireReply.Granted;
import io.github.lockstarter.store.AcquireReply.Taken;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A started store, as one JVM has it, with what it hears. Leases are a minute long. */
final class StoreInstance implements AutoCloseable {

    static final long LEASE = 60_000;

    private final String id;

    private final LockStore store;

    private final HeardMessages heard = new HeardMessages();

    StoreInstance(String id, LockStore store) {
        this.id = id;
        this.store = store;
        store.start(id, this.heard);
    }

    String id() {
        return this.id;
    }

    LockStore store() {
        return this.store;
    }

    HeardMessages heard() {
        return this.heard;
    }

    AcquireReply ask(String lockName, String acquisitionId) {
        return this.store.acquire(lockName, acquisitionId, LEASE, false);
    }

    /** Acquires what must be free or its own, and returns the token. */
    long granted(String lockName, String acquisitionId) {
        AcquireReply reply = ask(lockName, acquisitionId);
        assertThat(reply).as("reply to %s", acquisitionId).isInstanceOf(Granted.class);
        return ((Granted) reply).fencingToken();
    }

    /** Acquires with another lease what must be free or its own, and returns the token. */
    long granted(String lockName, String acquisitionId, long leaseMillis) {
        AcquireReply reply = this.store.acquire(lockName, acquisitionId, leaseMillis, false);
        assertThat(reply).as("reply to %s", acquisitionId).isInstanceOf(Granted.class);
        return ((Granted) reply).fencingToken();
    }

    /** Acquires as a waiter does that joins or polls, and returns whether it owns the lock now. */
    boolean polls(String lockName, String acquisitionId) {
        return this.store.acquire(lockName, acquisitionId, LEASE, true) instanceof Granted;
    }

    /** Acquires what must be taken, and returns the time that it must wait for in milliseconds. */
    long refused(String lockName, String acquisitionId) {
        AcquireReply reply = ask(lockName, acquisitionId);
        assertThat(reply).as("reply to %s", acquisitionId).isInstanceOf(Taken.class);
        return ((Taken) reply).remainingMillis();
    }

    /** Returns the ids of the holders of a lock in shared use, or of the owner; none if it is free. */
    List<String> owners(String lockName) {
        StoredLock lock = this.store.find(lockName);
        if (lock == null) {
            return List.of();
        }
        return lock.holders().isEmpty()
                ? List.of(String.valueOf(lock.owner()))
                : lock.holders().stream().map(StoredHolder::acquisitionId).toList();
    }

    /** Returns the holder with that id, which must be one. */
    StoredHolder holder(String lockName, String acquisitionId) {
        return Objects.requireNonNull(this.store.find(lockName)).holders().stream()
                .filter(holder -> holder.acquisitionId().equals(acquisitionId))
                .findFirst()
                .orElseThrow();
    }

    /** Renews a lease, and returns the outcome: "renewed", "failed" or the name of the reason of the loss. */
    String renews(String lockName, String acquisitionId, long leaseMillis) {
        return OneRenewal.outcomeOf(this.store, lockName, acquisitionId, leaseMillis);
    }

    /** Joins the line for what must be taken. */
    void joins(String lockName, String acquisitionId) {
        assertThat(this.store.acquire(lockName, acquisitionId, LEASE, true))
                .as("reply to %s", acquisitionId)
                .isInstanceOf(AcquireReply.Taken.class);
    }

    ReleaseReply releases(String lockName, String acquisitionId) {
        return releases(lockName, acquisitionId, 0, null);
    }

    ReleaseReply releases(String lockName, String acquisitionId, long lastToken, @Nullable String successor) {
        return this.store.release(
                lockName, acquisitionId, lastToken, successor != null ? new Successor(successor, LEASE) : null);
    }

    @Override
    public void close() {
        this.store.stop(this.heard);
    }
}
