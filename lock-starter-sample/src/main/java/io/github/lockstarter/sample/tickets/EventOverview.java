package io.github.lockstarter.sample.tickets;

import java.util.List;

/** What the outside sees of an event. */
record EventOverview(String id, int seats, int left, int sold, List<Ticket> tickets) {

    static EventOverview of(Event event, List<Ticket> tickets) {
        return new EventOverview(event.id(), event.seats(), event.seats() - event.sold(), event.sold(), tickets);
    }
}
