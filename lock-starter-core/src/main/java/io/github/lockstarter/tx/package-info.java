/**
 * Internal: the locks of one call, and the transactions of its thread. {@link io.github.lockstarter.tx.LockSequence} has the
 * order and the deadline of several locks. A lock that is acquired inside a transaction is held until the transaction
 * has completed, and no transaction commits after its lock is lost; without spring-tx, there are no transactions.
 */
@NullMarked
package io.github.lockstarter.tx;

import org.jspecify.annotations.NullMarked;
