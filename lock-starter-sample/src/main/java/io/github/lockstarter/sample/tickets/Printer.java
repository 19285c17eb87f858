package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.Lease;
import java.time.Duration;
import java.time.Instant;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Prints tickets. There is one printer for all instances, so one prints at a time. */
@Service
class Printer {

    private static final Duration TIME = Duration.ofMillis(100);

    private final EventRepository events;

    Printer(EventRepository events) {
        this.events = events;
    }

    /** Prints all tickets of an event. No thread waits, neither for the lock nor for the printer. */
    @DistributedLock(name = "printer")
    public Mono<PrintJob> print(String eventId) {
        return Mono.deferContextual(context -> {
            long token = context.get(Lease.class).fencingToken();
            Instant started = Instant.now();
            return Mono.fromCallable(() -> events.existing(eventId).sold())
                    .subscribeOn(Schedulers.boundedElastic()) // JDBC blocks
                    .delayElement(TIME)
                    .map(tickets -> new PrintJob(eventId, tickets, started, Instant.now(), token));
        });
    }
}
