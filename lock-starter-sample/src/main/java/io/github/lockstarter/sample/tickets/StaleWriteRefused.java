package io.github.lockstarter.sample.tickets;

/**
 * Published when the database refuses a sale because of its token: its lock was lost, and a later owner has sold since.
 *
 * @param eventId the event
 * @param token token of the refused sale
 * @param latestToken largest token that has sold a ticket
 */
public record StaleWriteRefused(String eventId, long token, long latestToken) {}
