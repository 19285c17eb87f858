package io.github.lockstarter.jdbc;

/** Answers of the database to the fencing token of a lock. */
public enum FenceOutcome {
    /** No larger token is stored: the transaction belongs to the present owner. */
    ACCEPTED,
    /** A later owner has raised a larger token. The lease is lost. */
    REFUSED,
    /** The database has not answered, or the token is too old to be compared. The lease may still be held. */
    UNKNOWN
}
