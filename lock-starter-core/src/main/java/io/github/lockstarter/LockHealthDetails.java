package io.github.lockstarter;

/** Adds a detail to the health of the locks, which does not change its status. Every bean of this type is called. */
public interface LockHealthDetails {

    /** Returns the name of the detail. */
    String name();

    /** Returns the value: a text, a number, a list or a map. Must not block. */
    Object details();
}
