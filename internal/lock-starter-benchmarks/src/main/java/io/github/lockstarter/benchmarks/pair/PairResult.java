package io.github.lockstarter.benchmarks.pair;

/**
 * What one fork has measured.
 *
 * @param perSecond pairs of all threads together
 * @param medianMicros time of one pair
 * @param callerBytes allocated per pair by the calling threads
 * @param allBytes allocated per pair by all threads of the JVM
 * @param serverMicros processor time of Redis per pair
 */
public record PairResult(
        double perSecond, double medianMicros, double callerBytes, double allBytes, double serverMicros) {}
