package io.github.lockstarter.store;

/**
 * The next waiter in the instance that releases a lock. The release grants it the lock if the waiting line is empty,
 * and appends it to the line otherwise.
 *
 * @param acquisitionId id of its acquisition, unique and not used before
 * @param leaseMillis duration of its grant in milliseconds
 */
public record Successor(String acquisitionId, long leaseMillis) {}
