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

    Reason reason() {
        return reason;
    }
}
