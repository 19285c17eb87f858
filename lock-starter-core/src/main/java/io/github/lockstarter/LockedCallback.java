package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * A body that runs under a lock.
 *
 * @param <T> type of its result, which may be null
 */
@FunctionalInterface
public interface LockedCallback<T extends @Nullable Object> {

    /**
     * Runs under the lock.
     *
     * @param lease the grant under which it runs
     */
    T run(Lease lease) throws Exception;
}
