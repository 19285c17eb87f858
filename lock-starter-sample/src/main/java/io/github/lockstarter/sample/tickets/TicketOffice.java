package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.sample.tickets.TicketOfficeException.Reason;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Sells tickets, on any number of instances, one after the other for each event. */
@Service
class TicketOffice {

    private final EventRepository events;
    private final ApplicationEventPublisher publisher;

    TicketOffice(EventRepository events, ApplicationEventPublisher publisher) {
        this.events = events;
        this.publisher = publisher;
    }

    /**
     * Sells the next ticket. The lock encloses the transaction: the next buyer, here or on another instance, comes in
     * when this sale is committed.
     */
    @DistributedLock(name = "event", key = "#eventId")
    @Transactional
    public Ticket sell(String eventId) {
        return write(eventId, LeaseContext.required().fencingToken());
    }

    /**
     * Writes a sale within a transaction. The lock alone does not protect the data: this thread may be paused right here
     * until the lock has run out and another one has it. So the database decides: it refuses a token smaller than one
     * that it has seen.
     */
    public Ticket write(String eventId, long token) {
        if (!events.takeSeat(eventId, token)) {
            throw refusal(eventId, token);
        }
        Ticket ticket = new Ticket(events.existing(eventId).sold(), token);
        events.insertTicket(eventId, ticket);
        return ticket;
    }

    /**
     * Opens an event; opening it once more with the same number of seats is fine, so that the request can be repeated.
     *
     * @return whether it is a new one
     */
    public boolean open(String eventId, int seats) {
        boolean created = events.insert(eventId, seats);
        if (!created && events.existing(eventId).seats() != seats) {
            throw new TicketOfficeException(
                    Reason.EVENT_EXISTS, "Event '%s' exists, with another number of seats".formatted(eventId));
        }
        return created;
    }

    /** Refuses an event that does not exist, before a payment begins. */
    public void requireOpen(String eventId) {
        events.existing(eventId);
    }

    /**
     * Shows an event with its tickets. Visitors read at the same time, on all instances, and never between the two halves of
     * a sale; a sale that waits is not kept waiting by those who come after it.
     */
    @DistributedLock(name = "event", key = "#eventId", mode = LockMode.READ)
    @Transactional(readOnly = true)
    public EventOverview overview(String eventId) {
        return EventOverview.of(events.existing(eventId), events.tickets(eventId));
    }

    private TicketOfficeException refusal(String eventId, long token) {
        Event event = events.existing(eventId);
        if (event.token() <= token) {
            return new TicketOfficeException(Reason.SOLD_OUT, "Event '%s' is sold out".formatted(eventId));
        }
        publisher.publishEvent(new StaleWriteRefused(eventId, token, event.token()));
        return TicketOfficeException.staleToken(eventId);
    }
}
