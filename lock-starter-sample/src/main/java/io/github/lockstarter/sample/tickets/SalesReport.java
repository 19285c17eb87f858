package io.github.lockstarter.sample.tickets;

/**
 * The result of a long piece of work.
 *
 * @param eventId what it is about
 * @param seconds how long it took
 * @param soldAtStart tickets sold when it began
 * @param sold tickets sold when it was done
 * @param token fencing token of the lock under which it ran, one and the same from start to end
 */
record SalesReport(String eventId, int seconds, int soldAtStart, int sold, long token) {}
