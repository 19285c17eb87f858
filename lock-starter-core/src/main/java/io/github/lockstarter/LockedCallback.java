package io.github.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Work under a lock that has a result.
 *
 * @param <T> type of the result, which may be null
 * @param <E> type of the checked exceptions that the work throws; {@link RuntimeException} if it throws none
 * @see LockRegistry#execute
 * @see LockedAction
 */
@FunctionalInterface
public interface LockedCallback<T extends @Nullable Object, E extends Throwable> {

    /**
     * Does the work, in the thread that holds the lock.
     *
     * @param lease the grant under which the work runs; released when this method has returned
     * @return the result
     * @throws E the exception that the caller of {@link LockRegistry#execute} gets
     */
    T run(Lease lease) throws E;
}
