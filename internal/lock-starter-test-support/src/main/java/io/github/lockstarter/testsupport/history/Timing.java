package io.github.lockstarter.testsupport.history;

import java.time.Duration;

/**
 * The times of a fleet. Troubles last for a multiple of the lease.
 *
 * @param lease the lease of a lock that is renewed
 * @param command the time that a command may take
 */
public record Timing(Duration lease, Duration command) {}
