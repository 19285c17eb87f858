/** The ways of an event to meters, the log and listeners. Internal: not part of the API. */
@NullMarked
package io.github.lockstarter.lease.event;

import org.jspecify.annotations.NullMarked;
