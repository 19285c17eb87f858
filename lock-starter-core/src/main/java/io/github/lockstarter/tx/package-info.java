/**
 * Locks and transactions in one thread: a lock taken inside of a transaction is kept until it has completed, and none
 * commits after its lock is lost. Needs spring-tx, and does nothing without it.
 */
@NullMarked
package io.github.lockstarter.tx;

import org.jspecify.annotations.NullMarked;
