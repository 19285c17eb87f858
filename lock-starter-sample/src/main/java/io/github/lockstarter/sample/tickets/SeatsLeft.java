package io.github.lockstarter.sample.tickets;

import java.time.Instant;

/**
 * How many seats of an event were left.
 *
 * @param eventId the event
 * @param left number of free seats
 * @param asOf when they were counted
 */
record SeatsLeft(String eventId, int left, Instant asOf) {}
