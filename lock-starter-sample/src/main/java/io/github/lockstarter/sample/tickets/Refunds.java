package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.sample.tickets.TicketOfficeException.Reason;
import java.util.List;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

/** Takes tickets back. Acquires the lock of the ticket office by a call, where an annotation is not wanted. */
@Service
class Refunds {

    private final LockRegistry locks;
    private final TransactionOperations transaction;
    private final EventRepository events;

    Refunds(LockRegistry locks, TransactionOperations transaction, EventRepository events) {
        this.locks = locks;
        this.transaction = transaction;
        this.events = events;
    }

    /** Takes back the ticket that was sold last. As for sales, the lock encloses the transaction, which fences itself. */
    Ticket refundLast(String eventId) {
        LockRequest request = LockRequest.of("event", eventId);
        return locks.execute(request, lease -> transaction.execute(status -> returnSeat(eventId)));
    }

    private Ticket returnSeat(String eventId) {
        if (!events.returnSeat(eventId)) {
            Event event = events.existing(eventId);
            throw new TicketOfficeException(Reason.NOTHING_SOLD, "Event '%s' has sold no ticket".formatted(event.id()));
        }
        List<Ticket> tickets = events.tickets(eventId);
        Ticket last = tickets.get(tickets.size() - 1);
        events.deleteTicket(eventId, last);
        return last;
    }
}
