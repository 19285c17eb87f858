package io.github.lockstarter.sample.tickets;

import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.jdbc.FenceException;
import io.github.lockstarter.jdbc.TransactionRefusedException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.TransactionException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Answers whatever goes wrong with a problem detail (RFC 9457), the errors of Spring MVC included. */
@RestControllerAdvice
class ProblemAdvice extends ResponseEntityExceptionHandler {

    private static final String RETRY_AFTER_SECONDS = "1";

    @ExceptionHandler
    ResponseEntity<ProblemDetail> refused(TicketOfficeException e) {
        return switch (e.reason()) {
            case INVALID_REQUEST -> problem(HttpStatus.BAD_REQUEST, e);
            case UNKNOWN_EVENT -> problem(HttpStatus.NOT_FOUND, e);
            case EVENT_EXISTS, SOLD_OUT, NOTHING_SOLD, NOT_ENOUGH_SEATS -> problem(HttpStatus.CONFLICT, e);
            case REPORT_RUNNING -> problem(HttpStatus.LOCKED, e);
        };
    }

    /** Nothing was sold: too many others want the lock, Redis does not answer, or this instance is about to stop. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> notLocked(LockException e) {
        return problem(HttpStatus.SERVICE_UNAVAILABLE, e);
    }

    /** Nothing was written: the lock was lost, and the database has seen the token of a later owner. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> late(TransactionRefusedException e) {
        return problem(
                HttpStatus.SERVICE_UNAVAILABLE, "'%s' has seen a later buyer than this one".formatted(e.lockName()));
    }

    /** The work was done, and its lock expired meanwhile: look at the event before you try again. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> lost(LockLostException e) {
        return problem(HttpStatus.SERVICE_UNAVAILABLE, e);
    }

    /** The database is away, or a transaction of another owner did not end in time. */
    @ExceptionHandler({DataAccessResourceFailureException.class, TransactionException.class, FenceException.class})
    ResponseEntity<ProblemDetail> noDatabase(RuntimeException e) {
        return problem(HttpStatus.SERVICE_UNAVAILABLE, "The database does not answer");
    }

    /** A blank or endless name in the URL. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> invalid(InvalidLockKeyException e) {
        return problem(HttpStatus.BAD_REQUEST, "No event can be called like this");
    }

    private static ResponseEntity<ProblemDetail> problem(HttpStatus status, Exception e) {
        return problem(status, e.getMessage());
    }

    private static ResponseEntity<ProblemDetail> problem(HttpStatus status, @Nullable String detail) {
        ResponseEntity.BodyBuilder response = ResponseEntity.status(status);
        if (status == HttpStatus.SERVICE_UNAVAILABLE) {
            response.header(HttpHeaders.RETRY_AFTER, RETRY_AFTER_SECONDS);
        }
        return response.body(ProblemDetail.forStatusAndDetail(status, detail));
    }
}
