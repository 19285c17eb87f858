/**
 * Internal: calls of locked methods. {@link io.github.lockstarter.aop.call.DistributedLockInterceptor} determines the
 * locks of a call and runs the method under them: directly, until a future completes, or for each subscription.
 */
@NullMarked
package io.github.lockstarter.aop.call;

import org.jspecify.annotations.NullMarked;
