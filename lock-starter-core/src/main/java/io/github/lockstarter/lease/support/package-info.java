/** Clocks, the timing wheel, threads, counters and deadlines: nothing here knows what a lock is. Internal: not part of the API. */
@NullMarked
package io.github.lockstarter.lease.support;

import org.jspecify.annotations.NullMarked;
