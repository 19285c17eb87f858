package io.github.lockstarter.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.store.AcquireReply.Granted;
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
