package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.sample.tickets.TicketOfficeException.Reason;
import java.util.List;
import java.util.Optional;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Events and tickets in the database. */
@Repository
class EventRepository {

    private final JdbcClient jdbc;

    EventRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** False if there is an event of this name. */
    boolean insert(String eventId, int seats) {
        try {
            jdbc.sql("insert into event (id, seats) values (:id, :seats)")
                    .param("id", eventId)
                    .param("seats", seats)
                    .update();
            return true;
        } catch (DuplicateKeyException e) {
            return false;
        }
    }

    Optional<Event> find(String eventId) {
        return jdbc.sql("select id, seats, sold from event where id = :id")
                .param("id", eventId)
                .query(Event.class)
                .optional();
    }

    /** Returns an event, or refuses the request if there is none. */
    Event existing(String eventId) {
        return find(eventId)
                .orElseThrow(() ->
                        new TicketOfficeException(Reason.UNKNOWN_EVENT, "There is no event '%s'".formatted(eventId)));
    }

    List<Ticket> tickets(String eventId) {
        return jdbc.sql("select number, token from ticket where event_id = :id order by number")
                .param("id", eventId)
                .query(Ticket.class)
                .list();
    }

    /** Takes a seat, if one is left. */
    boolean takeSeat(String eventId) {
        return jdbc.sql("update event set sold = sold + 1 where id = :id and sold < seats")
                        .param("id", eventId)
                        .update()
                == 1;
    }

    /** Gives a seat back, if one is sold. */
    boolean returnSeat(String eventId) {
        return jdbc.sql("update event set sold = sold - 1 where id = :id and sold > 0")
                        .param("id", eventId)
                        .update()
                == 1;
    }

    /** Adds seats, or removes them if the number is negative and as many are free. */
    boolean addSeats(String eventId, int seats) {
        return jdbc.sql("update event set seats = seats + :seats where id = :id and seats + :seats >= sold")
                        .param("id", eventId)
                        .param("seats", seats)
                        .update()
                == 1;
    }

    void deleteTicket(String eventId, Ticket ticket) {
        jdbc.sql("delete from ticket where event_id = :id and number = :number")
                .param("id", eventId)
                .param("number", ticket.number())
                .update();
    }

    void insertTicket(String eventId, Ticket ticket) {
        jdbc.sql("insert into ticket (event_id, number, token) values (:id, :number, :token)")
                .param("id", eventId)
                .param("number", ticket.number())
                .param("token", ticket.token())
                .update();
    }
}
