package io.github.lockstarter.sample;

import io.github.lockstarter.sample.ReportWriter.Report;
import io.github.lockstarter.sample.TicketOffice.Event;
import io.github.lockstarter.sample.TicketOffice.Overview;
import io.github.lockstarter.sample.TicketOffice.Ticket;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The ticket office on the web. */
@RestController
@RequestMapping("/api/events/{eventId}")
class TicketController {

    private final TicketOffice office;

    private final Payments payments;

    private final ReportWriter reports;

    TicketController(TicketOffice office, Payments payments, ReportWriter reports) {
        this.office = office;
        this.payments = payments;
        this.reports = reports;
    }

    /**
     * Opens an event: status 201 for a new one, 200 for one that has as many seats, and 409 for another number of
     * seats.
     */
    @PostMapping
    ResponseEntity<Event> open(@PathVariable String eventId, @RequestParam int seats) {
        require(eventId.matches("[\\w.-]{1,64}"), "An event has a name of 1 to 64 letters, digits, '.', '_' and '-'");
        require(seats >= 1, "An event has at least one seat");
        boolean created = office.open(eventId, seats);
        return (created ? ResponseEntity.created(URI.create("/api/events/" + eventId)) : ResponseEntity.ok())
                .body(office.find(eventId));
    }

    @GetMapping
    Overview visit(@PathVariable String eventId, @RequestParam(defaultValue = "0") int seconds)
            throws InterruptedException {
        require(seconds >= 0 && seconds <= 60, "A visit takes between 0 and 60 seconds");
        office.find(eventId); // no lock for an event that does not exist
        return office.visit(eventId, seconds);
    }

    @PostMapping("/tickets")
    @ResponseStatus(HttpStatus.CREATED)
    Ticket sell(@PathVariable String eventId) throws InterruptedException {
        office.find(eventId);
        payments.authorize();
        return office.sell(eventId);
    }

    @PostMapping("/slow-tickets")
    @ResponseStatus(HttpStatus.CREATED)
    Ticket sellSlowly(@PathVariable String eventId, @RequestParam int seconds) throws InterruptedException {
        require(seconds >= 1 && seconds <= 60, "A sale takes between 1 and 60 seconds");
        office.find(eventId);
        return office.sellSlowly(eventId, seconds);
    }

    @PostMapping("/report")
    Report report(@PathVariable String eventId, @RequestParam int seconds) throws InterruptedException {
        require(seconds >= 1 && seconds <= 3600, "A report takes between 1 and 3600 seconds");
        office.find(eventId);
        return reports.write(eventId, seconds);
    }

    private static void require(boolean valid, String message) {
        if (!valid) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, message);
        }
    }
}
