/**
 * The engine: one state machine for each lock that this JVM holds or wants, and the drivers that connect it with threads, futures
 * and the store. Begin with {@link io.github.lockstarter.engine.LocalLock}. Internal.
 */
@NullMarked
package io.github.lockstarter.engine;

import org.jspecify.annotations.NullMarked;
