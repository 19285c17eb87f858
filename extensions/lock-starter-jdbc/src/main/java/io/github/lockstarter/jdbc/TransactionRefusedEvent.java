package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;

/**
 * Published as an application event when the token of a lock was not accepted, at the begin of a transaction or at the
 * grant: on a thread of the library, so that listeners can use the database. If they are so slow that a thousand events
 * wait, further ones are dropped.
 *
 * @param request what was requested
 * @param fencingToken token of the grant
 * @param outcome {@link FenceOutcome#REFUSED} or {@link FenceOutcome#UNKNOWN}
 * @param failure the exception that is thrown
 */
public record TransactionRefusedEvent(
        LockRequest request, long fencingToken, FenceOutcome outcome, LockException failure) implements LockEvent {}
