/**
 * Applies {@code @DistributedLock} and {@code @DistributedSemaphore} to the beans of an application: {@link
 * io.github.lockstarter.aop.DistributedLockBeanPostProcessor} creates or extends proxies, and the rules of this package
 * reject at start-up what would run without its lock. The sub-packages are internal; each uses only those after it:
 *
 * <ul>
 *   <li>{@code weave}: locks in methods that AspectJ weaves
 *   <li>{@code call}: a call of a locked method, direct or with a future or reactive result
 *   <li>{@code metadata}: from annotations to specifications
 *   <li>{@code key}: key expressions and conditions
 * </ul>
 */
@NullMarked
package io.github.lockstarter.aop;

import org.jspecify.annotations.NullMarked;
