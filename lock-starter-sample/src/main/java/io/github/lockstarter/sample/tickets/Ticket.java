package io.github.lockstarter.sample.tickets;

/**
 * A ticket that was sold.
 *
 * @param number 1 for the first one of its event
 * @param token fencing token of the lock under which it was sold
 */
record Ticket(int number, long token) {}
