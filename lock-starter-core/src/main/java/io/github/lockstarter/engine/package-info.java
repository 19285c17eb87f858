/**
 * Drives the locks of one registry: their map and mutexes, threads, times, the sending of commands, start and stop.
 * Begin with {@link io.github.lockstarter.engine.Engine}. Internal.
 */
@NullMarked
package io.github.lockstarter.engine;

import org.jspecify.annotations.NullMarked;
