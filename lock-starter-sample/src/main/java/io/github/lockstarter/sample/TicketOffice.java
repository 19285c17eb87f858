package io.github.lockstarter.sample;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.web.server.ResponseStatusException;

/** Sells tickets on any number of instances, one after the other for each event. */
@Service
public class TicketOffice {

    private final JdbcClient jdbc;

    private final TransactionOperations transactions;

    TicketOffice(JdbcClient jdbc, TransactionOperations transactions) {
        this.jdbc = jdbc;
        this.transactions = transactions;
    }

    /**
     * An event.
     *
     * @param id its name in URLs
     * @param seats number of seats
     * @param sold number of sold tickets
     */
    public record Event(String id, int seats, int sold) {}

    /**
     * A ticket.
     *
     * @param number 1 for the first one of its event
     * @param token fencing token of the lock under which it was sold
     */
    public record Ticket(int number, long token) {}

    /** An event and its tickets. */
    public record Overview(String id, int seats, int left, int sold, List<Ticket> tickets) {}

    /**
     * Sells the next ticket. The lock encloses the transaction, so that the next buyer, here or on another instance,
     * sees this sale.
     *
     * <p>A lock alone does not protect the data: this thread can be paused until the lease has ended and another owner
     * has the lock. Therefore {@code distributed-lock.jdbc.fence.enabled} makes the transaction fence itself: the
     * database refuses it before its first statement if it has seen the token of a later owner.
     *
     * @throws LockLostException if the lock is lost before the commit; {@code TransactionRefusedException} if the
     *     database has refused the transaction
     */
    @DistributedLock(name = "event", key = "#eventId")
    @Transactional
    public Ticket sell(String eventId) {
        return write(eventId);
    }

    /**
     * Sells a ticket to a slow buyer. The transaction begins after the wait, so that it does not occupy a connection,
     * and does not check the lock: the fence does.
     */
    @DistributedLock(name = "event", key = "#eventId")
    public Ticket sellSlowly(String eventId, int seconds) throws InterruptedException {
        TimeUnit.SECONDS.sleep(seconds);
        return transactions.execute(status -> write(eventId));
    }

    /** Shows an event for some seconds. Visitors read at the same time on all instances, and never during a sale. */
    @DistributedLock(name = "event", key = "#eventId", mode = LockMode.READ)
    public Overview visit(String eventId, int seconds) throws InterruptedException {
        Event event = find(eventId);
        List<Ticket> tickets = jdbc.sql("select number, token from ticket where event_id = ? order by number")
                .param(eventId)
                .query(Ticket.class)
                .list();
        TimeUnit.SECONDS.sleep(seconds);
        return new Overview(event.id(), event.seats(), event.seats() - event.sold(), event.sold(), tickets);
    }

    /** Returns an event without a lock, for a glance before a payment. */
    public Event find(String eventId) {
        return jdbc.sql("select id, seats, sold from event where id = ?")
                .param(eventId)
                .query(Event.class)
                .optional()
                .orElseThrow(() -> refusal(HttpStatus.NOT_FOUND, "There is no event '%s'", eventId));
    }

    /**
     * Opens an event. A repetition with the same number of seats changes nothing, so that the request can be sent
     * again.
     *
     * @return whether the event is a new one
     */
    public boolean open(String eventId, int seats) {
        try {
            jdbc.sql("insert into event (id, seats) values (?, ?)")
                    .params(eventId, seats)
                    .update();
            return true;
        } catch (DuplicateKeyException ex) {
            if (find(eventId).seats() != seats) {
                throw refusal(HttpStatus.CONFLICT, "Event '%s' exists with another number of seats", eventId);
            }
            return false;
        }
    }

    private Ticket write(String eventId) {
        int updated = jdbc.sql("update event set sold = sold + 1 where id = ? and sold < seats")
                .param(eventId)
                .update();
        Event event = find(eventId);
        if (updated == 0) {
            throw refusal(HttpStatus.CONFLICT, "Event '%s' is sold out", eventId);
        }
        Ticket ticket = new Ticket(event.sold(), LeaseContext.required().fencingToken());
        jdbc.sql("insert into ticket (event_id, number, token) values (?, ?, ?)")
                .params(eventId, ticket.number(), ticket.token())
                .update();
        return ticket;
    }

    private static ResponseStatusException refusal(HttpStatus status, String message, String eventId) {
        return new ResponseStatusException(status, message.formatted(eventId));
    }
}
