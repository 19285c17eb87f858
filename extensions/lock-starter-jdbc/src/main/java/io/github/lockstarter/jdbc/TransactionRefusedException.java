package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockLostException;

/**
 * Thrown when a later owner of a lock has raised its token in the database: at the begin of a transaction, of which
 * nothing is stored, or at the grant. The lease is lost. Immutable.
 */
public class TransactionRefusedException extends LockLostException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message names the lock and the table; control characters are replaced
     * @param loss the loss of the lease, which becomes the cause
     */
    public TransactionRefusedException(String message, LockLostException loss) {
        super(message, loss.lockName(), loss.fencingToken(), loss.reason());
        initCause(loss);
    }
}
