/**
 * One state machine for each lock that this JVM holds or wants, and the order of what it wants to happen. Pure: no
 * thread, no clock, no I/O, so that a simulation can run it. Begin with {@link io.github.lockstarter.lock.LocalLock}.
 * Internal.
 */
@NullMarked
package io.github.lockstarter.lock;

import org.jspecify.annotations.NullMarked;
