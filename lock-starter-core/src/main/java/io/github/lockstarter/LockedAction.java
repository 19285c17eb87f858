package io.github.lockstarter;

/**
 * Work under a lock that has no result.
 *
 * @param <E> type of the checked exceptions that the work throws; {@link RuntimeException} if it throws none
 * @see LockRegistry#executeWithoutResult
 * @see LockedCallback
 */
@FunctionalInterface
public interface LockedAction<E extends Throwable> {

    /**
     * Does the work, in the thread that holds the lock.
     *
     * @param lease the grant under which the work runs; released when this method has returned
     * @throws E the exception that the caller of {@link LockRegistry#executeWithoutResult} gets
     */
    void run(Lease lease) throws E;
}
