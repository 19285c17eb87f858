package io.github.lockstarter;

/** What every event of a lock tells. Events are immutable. */
public interface LockEvent {

    /** The static name of the lock: bounded, fit for a meter's tag. */
    String name();

    /** What is locked under that name; may be empty. Unbounded: never a tag. */
    String key();

    /** Full name of the lock. */
    default String lockName() {
        return key().isEmpty() ? name() : name() + ':' + key();
    }
}
