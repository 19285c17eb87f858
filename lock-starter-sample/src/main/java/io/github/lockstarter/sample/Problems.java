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

/** Answers with a problem detail (RFC 9457) whatever fails. */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

    /**
     * Nothing was done, since the lock has another owner for too long, Redis does not answer or this instance is stopping;
     * or the lock was lost meanwhile, so that the client must look at the event before another try.
     */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> notLocked(LockException ex) {
        return tryAgain(ex.getMessage());
    }

    /** A report is refused at once while another one is written, and names its author. */
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

    /** Nothing was written: the lock was lost, and the database has seen the token of a later owner. */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> late(TransactionRefusedException ex) {
        return tryAgain("'%s' has seen a later buyer than this one".formatted(ex.lockName()));
    }

    /** The database is away, or a transaction of another owner did not end in time. */
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
