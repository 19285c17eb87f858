package io.github.lockstarter;

/** Common interface of the events of locks. Events are immutable. */
public interface LockEvent {

    /** Returns the static name of the lock. There are few of them, so it is suitable as a tag of meters. */
    String name();

    /**
     * Returns the key under the static name; may be empty. The number of keys is unbounded, so never use it as a tag.
     */
    String key();

    /** Returns what the grant allows, or would have allowed, beside it. Suitable as a tag of meters. */
    LockMode mode();

    /** Returns the full name of the lock: the static name, followed by {@code :key} if there is a key. */
    default String lockName() {
        return key().isEmpty() ? name() : name() + ':' + key();
    }
}
