package io.github.lockstarter.aop;

/**
 * Hears the static names of annotated methods before any of them is called, so that what is counted by name can begin
 * at zero.
 */
@FunctionalInterface
public interface LockNameListener {

    /**
     * There is a method under locks of that name. Called once for each name: when the application has started, and for
     * beans that are made later, when they are made, on their thread. Must not throw.
     */
    void named(String lockName);
}
