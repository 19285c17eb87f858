/**
 * The state machine of each lock that this JVM holds or requests, and the delivery of its effects in order. It has no
 * thread, no clock and no I/O, so a simulation can run it. Begin with {@link io.github.lockstarter.lock.LocalLock}.
 * Internal.
 */
@NullMarked
package io.github.lockstarter.lock;

import org.jspecify.annotations.NullMarked;
