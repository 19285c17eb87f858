/**
 * Locks in tests of applications that use Spring Boot: in memory with
 * {@link io.github.lockstarter.test.UseInMemoryLocks}, or in a local Redis process with
 * {@link io.github.lockstarter.test.UseRedisProcess}.
 */
@NullMarked
package io.github.lockstarter.test;

import org.jspecify.annotations.NullMarked;
