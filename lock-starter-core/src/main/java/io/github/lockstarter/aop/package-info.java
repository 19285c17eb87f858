/**
 * Applies {@code @DistributedLock} and {@code @DistributedSemaphore} to the beans of an application: {@link
 * io.github.lockstarter.aop.DistributedLockBeanPostProcessor} creates or extends proxies, and the rules of this package
 * reject at start-up what would run without its lock. Extensions apply the same rules to their annotations with {@link
 * io.github.lockstarter.aop.GuardingBeanPostProcessor}, which is not part of the API.
 */
@NullMarked
package io.github.lockstarter.aop;

import org.jspecify.annotations.NullMarked;
