package io.github.lockstarter.aop;

import io.github.lockstarter.LockMode;

/**
 * Receives the lock names of annotated methods before these are called. Meters by name can therefore be registered with
 * the value zero.
 */
@FunctionalInterface
public interface LockNameListener {

    /**
     * Called once for each lock name and mode: when the application has started or, for a bean that is created later,
     * on the thread that creates it. Must not throw.
     *
     * @param lockName the static name, without key
     * @param mode the mode in which an annotated method requests the lock
     */
    void named(String lockName, LockMode mode);
}
