package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.sample.tickets.TicketOfficeException.Reason;
import java.util.List;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Moves seats between events. */
@Service
class SeatPlan {

    private final EventRepository events;

    SeatPlan(EventRepository events) {
        this.events = events;
    }

    /**
     * Moves free seats from one event to another, and returns both. A list as the key takes the locks of both events or
     * none, so that two moves in opposite directions do not wait for each other for ever. The transaction fences itself by both
     * tokens.
     */
    @DistributedLock(name = "event", key = "{#from, #to}")
    @Transactional
    public List<Event> move(String from, String to, int seats) {
        events.existing(from);
        events.existing(to);
        if (!events.addSeats(from, -seats)) {
            throw new TicketOfficeException(
                    Reason.NOT_ENOUGH_SEATS, "Event '%s' has fewer than %d free seats".formatted(from, seats));
        }
        events.addSeats(to, seats);
        return List.of(events.existing(from), events.existing(to));
    }
}
