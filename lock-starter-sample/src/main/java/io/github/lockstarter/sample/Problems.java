package io.github.lockstarter.sample;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.jdbc.FenceException;
import io.github.lockstarter.jdbc.TransactionRefusedException;
import java.util.Objects;
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

/** Maps exceptions to problem details (RFC 9457). */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

    /**
     * Handles a lock that was not acquired, and one that was lost: status 503. After a loss, the client must look at
     * the event before it tries again.
     */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> notLocked(LockException ex) {
        return tryAgain(ex.getMessage());
    }

    /** Handles a lock that another caller holds: status 423 with the holder for a report, and otherwise 503. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> taken(LockNotGrantedException ex) {
        if (!ex.lockName().startsWith("report:")) {
            return tryAgain(ex.getMessage());
        }
        String detail = "'%s' is being written by %s"
                .formatted(ex.lockName(), Objects.requireNonNullElse(ex.holder(), "another instance"));
        return ResponseEntity.of(ProblemDetail.forStatusAndDetail(HttpStatus.LOCKED, detail))
                .build();
    }

    /** Handles a write that the database has refused, because it has seen the token of a later owner: status 503. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> late(TransactionRefusedException ex) {
        return tryAgain("'%s' has seen a later buyer than this one".formatted(ex.lockName()));
    }

    /** Handles a database that does not answer, or in which another transaction did not end in time: status 503. */
    @ExceptionHandler({DataAccessResourceFailureException.class, TransactionException.class, FenceException.class})
    ResponseEntity<ProblemDetail> noDatabase(RuntimeException ex) {
        return tryAgain("The database does not answer");
    }

    private static ResponseEntity<ProblemDetail> tryAgain(@Nullable String detail) {
        return ResponseEntity.of(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, detail))
                .header(HttpHeaders.RETRY_AFTER, "1")
                .build();
    }
}
