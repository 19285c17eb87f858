package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Service;

/** Returns how many seats are left, soon rather than exactly. */
@Service
class Availability {

    private final Map<String, SeatsLeft> lastKnown = new ConcurrentHashMap<>();
    private final EventRepository events;

    Availability(EventRepository events) {
        this.events = events;
    }

    /** Waits a moment for a sale that is going on, and otherwise returns what was known before it. */
    @DistributedLock(name = "event", key = "#eventId", mode = LockMode.READ, waitTime = 200, fallback = "lastKnown")
    public SeatsLeft seatsLeft(String eventId) {
        Event event = events.existing(eventId);
        SeatsLeft seatsLeft = new SeatsLeft(eventId, event.seats() - event.sold(), Instant.now());
        lastKnown.put(eventId, seatsLeft);
        return seatsLeft;
    }

    /** Called in place of {@link #seatsLeft} if the lock is not granted. */
    SeatsLeft lastKnown(String eventId, LockNotGrantedException e) {
        SeatsLeft known = lastKnown.get(eventId);
        if (known == null) {
            throw e;
        }
        return known;
    }
}
