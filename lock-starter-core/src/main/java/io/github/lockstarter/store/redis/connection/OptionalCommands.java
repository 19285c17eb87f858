package io.github.lockstarter.store.redis.connection;

/**
 * Which commands the store uses that not every application needs.
 *
 * @param usesInstances whether the store reads and writes descriptions of instances
 * @param confirmReplicas how many replicas must acknowledge a grant, which takes {@code WAIT}; 0: none
 */
public record OptionalCommands(boolean usesInstances, int confirmReplicas) {

    /** Returns whether replicas confirm grants. */
    boolean usesWait() {
        return this.confirmReplicas > 0;
    }
}
