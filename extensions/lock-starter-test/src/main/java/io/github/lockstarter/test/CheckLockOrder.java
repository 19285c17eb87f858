package io.github.lockstarter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Fails a test in which locks are acquired in an order that can deadlock: a thread requests {@code a} while it holds
 * {@code b}, and another one, or the same one before, has requested {@code b} while it held {@code a}. The two need not
 * meet; the order is what counts, so a test without concurrency finds it. A circle of three or more names is found as
 * well. The failure names the locks, and has the stacks of all requests that form the circle.
 *
 * <p>Only the static names of locks are compared. Two keys of one name are no inversion, and neither is a request that
 * does not wait. All tests of an application context are compared with each other, also those of other classes that
 * share a cached context and this annotation.
 *
 * <p>A request follows the locks that its thread holds: annotated methods, {@code execute}, {@code getLock}, and leases
 * of {@code acquire} until their release, except those of readers and permits, which can share a token. The body of an
 * annotated method that returns a future or a publisher, and of {@link io.github.lockstarter.LeaseContext#call},
 * follows the lease of that body, whichever thread runs it. Stages that the completion of an {@code acquireAsync} runs
 * follow its lease. Several locks of one call are acquired in the order in which they are sorted.
 *
 * <p>Applies to tests that start an application context of Spring Boot with the auto-configured registry. The check is
 * made after each test method and after the class, by a default {@code TestExecutionListener}: a test class that has
 * other listeners needs {@code mergeMode = MERGE_WITH_DEFAULTS}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Import(LockOrderConfiguration.class)
public @interface CheckLockOrder {}
