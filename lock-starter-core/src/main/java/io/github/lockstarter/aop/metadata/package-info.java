/**
 * Internal: reads {@code @DistributedLock} and {@code @DistributedSemaphore}. {@link io.github.lockstarter.aop.metadata.LockedMethodSource} finds the
 * annotated methods of a bean class; each annotation is read and checked once and becomes an immutable
 * {@link io.github.lockstarter.aop.metadata.LockSpec}.
 */
@NullMarked
package io.github.lockstarter.aop.metadata;

import org.jspecify.annotations.NullMarked;
