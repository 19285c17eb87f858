package io.github.lockstarter.sample.tickets;

import java.time.Instant;

/**
 * How many tickets of all events were sold.
 *
 * @param countedAt when they were counted
 * @param sold number of tickets
 * @param port port of the instance that counted them
 */
record SalesCount(Instant countedAt, int sold, int port) {}
