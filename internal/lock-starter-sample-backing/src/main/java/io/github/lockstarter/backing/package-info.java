/**
 * Starts Redis and H2 for the sample, and finds a redis-server program for tests. Internal: not part of the API.
 *
 * <p>{@link io.github.lockstarter.backing.BackingInitializer} runs in each instance of the sample. Unless a Redis and a
 * database are configured, it connects to a background process of this machine, which the first instance launches. That
 * process starts redis-server as a child process and H2 in its own JVM, and ends some time after the last instance.
 *
 * <p>Tests use {@link io.github.lockstarter.backing.RedisBinary} only. Spring Boot and H2 are therefore optional
 * dependencies, and the initializer is active only where an application registers it.
 */
@NullMarked
package io.github.lockstarter.backing;

import org.jspecify.annotations.NullMarked;
