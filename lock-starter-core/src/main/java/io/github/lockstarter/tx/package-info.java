/**
 * Internal: locks and transactions of one thread. A lock that is acquired inside a transaction is held until the
 * transaction has completed, and no transaction commits after its lock is lost; without spring-tx, there are no
 * transactions.
 */
@NullMarked
package io.github.lockstarter.tx;

import org.jspecify.annotations.NullMarked;
