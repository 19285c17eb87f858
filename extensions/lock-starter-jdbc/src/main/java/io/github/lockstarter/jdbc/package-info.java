/**
 * Transactions that fence themselves: each transaction of an owner raises the fencing token of its lock in one row of its
 * database, so that a late owner cannot commit after the next one.
 */
@NullMarked
package io.github.lockstarter.jdbc;

import org.jspecify.annotations.NullMarked;
