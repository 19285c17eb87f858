package io.github.lockstarter.store;

/**
 * Who asks next in the instance that releases: gets the lock with the release if nobody stands in line, and a place at the
 * end of the line otherwise.
 *
 * @param acquisitionId id that it asks under, unique and not used before
 * @param leaseMillis how long its grant lasts
 */
public record Successor(String acquisitionId, long leaseMillis) {}
