/**
 * Transactions that fence themselves: the fencing token of a lock is raised in one row of the database, and each
 * transaction of its owner locks the row that has it, so that a late owner cannot commit after the next one.
 */
@NullMarked
package io.github.lockstarter.jdbc;

import org.jspecify.annotations.NullMarked;
