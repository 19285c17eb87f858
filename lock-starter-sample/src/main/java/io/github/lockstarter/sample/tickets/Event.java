package io.github.lockstarter.sample.tickets;

/**
 * Something to go to.
 *
 * @param id its name in URLs
 * @param seats how many tickets there are
 * @param sold how many of them are sold
 */
record Event(String id, int seats, int sold) {}
