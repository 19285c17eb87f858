/** Selling tickets under a distributed lock. */
@NullMarked
package io.github.lockstarter.sample.tickets;

import org.jspecify.annotations.NullMarked;
