package io.github.lockstarter.sample.live;

import java.util.List;

/**
 * What has been sold.
 *
 * @param events the events, the newest sale first
 * @param tickets the last tickets, the largest token first
 */
record Sales(List<Event> events, List<Ticket> tickets) {

    /** An event; {@code token} is the largest one of its tickets, 0 without any. */
    record Event(String id, int seats, int sold, String token) {}

    /** A ticket and the fencing token of the lock under which it was sold. */
    record Ticket(String eventId, int number, String token) {}
}
