package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.sample.tickets.TicketOfficeException.Reason;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Sells tickets, on any number of instances, one after the other for each event. */
@Service
class TicketOffice {

    private final EventRepository events;

    TicketOffice(EventRepository events) {
        this.events = events;
    }

    /**
     * Sells the next ticket. The lock encloses the transaction: the next buyer, here or on another instance, comes in
     * when this sale is committed.
     *
     * <p>The lock alone does not protect the data: this thread may be paused until the lock has expired and another owner
     * has it. So the transaction fences itself, by {@code distributed-lock.jdbc.fence.enabled}: the database refuses it
     * before its first statement if it has seen the token of a later owner.
     *
     * @throws LockLostException if the lock is lost before the sale is committed; {@code TransactionRefusedException} if the
     *     database has refused it
     */
    @DistributedLock(name = "event", key = "#eventId")
    @Transactional
    public Ticket sell(String eventId) {
        return write(eventId);
    }

    /** Writes a sale within a transaction, under the lock of the event. */
    public Ticket write(String eventId) {
        if (!events.takeSeat(eventId)) {
            throw new TicketOfficeException(Reason.SOLD_OUT, "Event '%s' is sold out".formatted(eventId));
        }
        long token = LeaseContext.required().fencingToken();
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
}
