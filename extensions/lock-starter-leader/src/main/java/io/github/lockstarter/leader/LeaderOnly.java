package io.github.lockstarter.leader;

import io.github.lockstarter.OnLost;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Restricts a method or a lifecycle bean to the instance that has a leader role.
 *
 * <p>On a method: a call runs on the leader, with the lease of the role in {@link io.github.lockstarter.LeaseContext},
 * and is skipped on other instances. A skipped call returns {@code null}, an empty {@code Optional}, a future of
 * {@code null}, or an empty {@code Mono} or {@code Flux}. A method with a primitive result fails the start. If the
 * method has an annotation of a lock as well, the role is checked before the lock is requested.
 *
 * <p>On a class that implements {@link org.springframework.context.SmartLifecycle}: the bean is started when the role
 * is granted and stopped when it is revoked, instead of with the context. Its methods are not restricted.
 *
 * <pre>{@code
 * @Scheduled(fixedDelay = 5000)
 * @LeaderOnly("feed")
 * void poll() { … }
 * }</pre>
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

    /** Returns the role: letters, digits, {@code -} and {@code _}, at most 100, or a placeholder such as
     * {@code ${feed.role}}. */
    String value();

    /**
     * Returns what happens when the role is lost while the method runs. By default, {@code distributed-lock.on-lost}
     * decides. Has no effect on a class.
     */
    OnLost onLost() default OnLost.DEFAULT;
}
