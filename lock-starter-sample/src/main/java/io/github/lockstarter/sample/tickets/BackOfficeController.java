package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.sample.tickets.TicketOfficeException.Reason;
import java.util.List;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** What happens beside the sale of tickets: each part shows another way to use a lock. */
@RestController
@RequestMapping("/api")
class BackOfficeController {

    private final Refunds refunds;
    private final SeatPlan seatPlan;
    private final Availability availability;
    private final SalesStatistics statistics;
    private final Printer printer;

    BackOfficeController(
            Refunds refunds,
            SeatPlan seatPlan,
            Availability availability,
            SalesStatistics statistics,
            Printer printer) {
        this.refunds = refunds;
        this.seatPlan = seatPlan;
        this.availability = availability;
        this.statistics = statistics;
        this.printer = printer;
    }

    @DeleteMapping("/events/{eventId}/tickets/last")
    Ticket refundLast(@PathVariable String eventId) {
        return refunds.refundLast(eventId);
    }

    @PostMapping("/events/{eventId}/seats/move")
    List<Event> moveSeats(@PathVariable String eventId, @RequestParam String to, @RequestParam int seats) {
        if (seats < 1 || to.equals(eventId)) {
            throw new TicketOfficeException(Reason.INVALID_REQUEST, "At least one seat is moved, to another event");
        }
        return seatPlan.move(eventId, to, seats);
    }

    @GetMapping("/events/{eventId}/left")
    SeatsLeft seatsLeft(@PathVariable String eventId) {
        return availability.seatsLeft(eventId);
    }

    @PostMapping("/events/{eventId}/print")
    Mono<PrintJob> print(@PathVariable String eventId) {
        return printer.print(eventId);
    }

    @GetMapping("/statistics")
    List<SalesCount> statistics() {
        return statistics.latest();
    }
}
