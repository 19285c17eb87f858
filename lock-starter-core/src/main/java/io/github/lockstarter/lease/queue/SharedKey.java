package io.github.lockstarter.lease.queue;

import io.github.lockstarter.store.GrantKind;

/**
 * Key of a local queue of waiters that can share a lock: those of one kind. A queue for the lock alone has the name of the
 * lock as its key, which saves an object for each held lock.
 */
record SharedKey(String lockName, GrantKind kind) {

    /** Returns the key of the queue for grants of that kind. */
    static Object of(String lockName, GrantKind kind) {
        return kind.isShared() ? new SharedKey(lockName, kind) : lockName;
    }
}
