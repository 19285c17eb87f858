package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.sample.tickets.TicketOfficeException.Reason;
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

/** The ticket office on the web. */
@RestController
@RequestMapping("/api/events/{eventId}")
class EventController {

    private static final int LONGEST_REPORT_SECONDS = 3600;
    private static final int LONGEST_SALE_SECONDS = 60;

    private final TicketOffice office;
    private final Payments payments;
    private final ReportWriter reports;
    private final SlowSale slowSale;

    EventController(TicketOffice office, Payments payments, ReportWriter reports, SlowSale slowSale) {
        this.office = office;
        this.payments = payments;
        this.slowSale = slowSale;
        this.reports = reports;
    }

    /** 201 for a new event, 200 for one that is open with as many seats, 409 if it has another number of them. */
    @PostMapping
    ResponseEntity<EventOverview> open(@PathVariable String eventId, @RequestParam int seats) {
        require(eventId.matches("[\\w.-]{1,64}"), "An event is called by 1 to 64 letters, digits, '.', '_' and '-'");
        require(seats >= 1, "An event has at least one seat");
        boolean created = office.open(eventId, seats);
        EventOverview overview = office.overview(eventId);
        return created
                ? ResponseEntity.created(URI.create("/api/events/" + eventId)).body(overview)
                : ResponseEntity.ok(overview);
    }

    @GetMapping
    EventOverview show(@PathVariable String eventId) {
        return office.overview(eventId);
    }

    @PostMapping("/tickets")
    @ResponseStatus(HttpStatus.CREATED)
    Ticket sell(@PathVariable String eventId) throws InterruptedException {
        office.requireOpen(eventId);
        payments.authorize();
        return office.sell(eventId);
    }

    /** As {@code /tickets}, for a buyer who takes so many seconds. */
    @PostMapping("/slow-tickets")
    @ResponseStatus(HttpStatus.CREATED)
    Ticket sellSlowly(@PathVariable String eventId, @RequestParam int seconds) throws InterruptedException {
        require(
                seconds >= 1 && seconds <= LONGEST_SALE_SECONDS,
                "A sale takes between 1 and %d seconds".formatted(LONGEST_SALE_SECONDS));
        office.requireOpen(eventId);
        return slowSale.sell(eventId, seconds);
    }

    @PostMapping("/report")
    SalesReport report(@PathVariable String eventId, @RequestParam int seconds) throws InterruptedException {
        require(
                seconds >= 1 && seconds <= LONGEST_REPORT_SECONDS,
                "A report takes between 1 and %d seconds".formatted(LONGEST_REPORT_SECONDS));
        try {
            return reports.write(eventId, seconds);
        } catch (LockNotGrantedException e) {
            String by = e.holder() != null ? " by " + e.holder() : "";
            throw new TicketOfficeException(
                    Reason.REPORT_RUNNING, "A report on event '%s' is being written%s".formatted(eventId, by), e);
        }
    }

    private static void require(boolean valid, String message) {
        if (!valid) {
            throw new TicketOfficeException(Reason.INVALID_REQUEST, message);
        }
    }
}
