/**
 * Runs the locks of one registry: their map and mutexes, threads and times, the sending of commands, the start and the
 * stop. Begin with {@link io.github.lockstarter.engine.Engine}. Internal.
 */
@NullMarked
package io.github.lockstarter.engine;

import org.jspecify.annotations.NullMarked;
