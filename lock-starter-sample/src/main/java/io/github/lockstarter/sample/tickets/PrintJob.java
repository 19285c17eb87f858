package io.github.lockstarter.sample.tickets;

import java.time.Instant;

/**
 * Tickets that were printed.
 *
 * @param eventId the event
 * @param tickets number of its tickets
 * @param started when the printer was taken
 * @param finished when it was given back
 * @param token fencing token of the lock under which it ran
 */
record PrintJob(String eventId, int tickets, Instant started, Instant finished, long token) {}
