/**
 * The registry: the holds of threads and futures, leases, events, settings, and the list of locks. Begin with {@link
 * io.github.lockstarter.registry.LeasingLockRegistry}. Internal.
 */
@NullMarked
package io.github.lockstarter.registry;

import org.jspecify.annotations.NullMarked;
