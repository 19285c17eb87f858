/**
 * Adapter of the locks to the {@code LockProvider} of ShedLock. Internal: not part of the API, except
 * {@link io.github.lockstarter.shedlock.LeaseLockProvider}.
 */
@NullMarked
package io.github.lockstarter.shedlock;

import org.jspecify.annotations.NullMarked;
