package io.github.lockstarter;

/** Describes what all events of a lock have in common. Events are immutable. */
public interface LockEvent {

    /** Returns the static name of the lock. There are few different ones, so that it is fit for the tag of a meter. */
    String name();

    /** Returns what is locked under that name; may be empty. There are any number of keys, so never use it as a tag. */
    String key();

    /** Returns the full name of the lock: the static name, and {@code :key} where there is a key. */
    default String lockName() {
        return key().isEmpty() ? name() : name() + ':' + key();
    }
}
