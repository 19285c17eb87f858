package io.github.lockstarter.sample.tickets;

import org.jspecify.annotations.Nullable;

/** A request that the ticket office refuses; it changes nothing. */
class TicketOfficeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Why it is refused. */
    enum Reason {
        INVALID_REQUEST,
        UNKNOWN_EVENT,
        EVENT_EXISTS,
        SOLD_OUT,
        NOTHING_SOLD,
        NOT_ENOUGH_SEATS,
        STALE_TOKEN,
        REPORT_RUNNING
    }

    private final Reason reason;

    TicketOfficeException(Reason reason, String message) {
        this(reason, message, null);
    }

    TicketOfficeException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** The lock was lost, and a later owner has written already. */
    static TicketOfficeException staleToken(String eventId) {
        return new TicketOfficeException(
                Reason.STALE_TOKEN, "Event '%s' has seen a later buyer than this one".formatted(eventId));
    }

    Reason reason() {
        return reason;
    }
}
