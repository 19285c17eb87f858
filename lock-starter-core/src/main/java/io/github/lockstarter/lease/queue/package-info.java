/** The queue of the waiters of one JVM for each lock, and the JVM's ticket in the line of the store. Internal: not part of the API. */
@NullMarked
package io.github.lockstarter.lease.queue;

import org.jspecify.annotations.NullMarked;
