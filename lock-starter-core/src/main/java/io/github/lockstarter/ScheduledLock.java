package io.github.lockstarter;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a scheduled method in one instance of the application at a time: {@link DistributedLock} with one attempt, whose
 * other instances skip the call, and a minimum hold. The annotated method may return {@code void}, or any other type
 * with the results of {@link OnNotGranted#SKIP}.
 *
 * <pre>
 * &#64;Scheduled(cron = "0 0 3 * * *")
 * &#64;ScheduledLock(name = "report", minHold = "1m")
 * public void report() { … }
 * </pre>
 *
 * <p>The lock is renewed while the method runs. It is not guaranteed that the method runs at each scheduled time: an
 * instance that dies does not hand its run over, and an outage of the store throws {@link LockStoreException} to the
 * scheduler. For a key, a condition or another reaction to a loss, {@link DistributedLock} can be used with {@code
 * waitTime = 0}, {@code onNotGranted = SKIP} and a {@code minHold}.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@DistributedLock(waitTime = 0, onNotGranted = OnNotGranted.SKIP)
public @interface ScheduledLock {

    /**
     * Returns the name of the lock, as {@link DistributedLock#name()}; {@code SimpleClassName.methodName} if it is
     * empty.
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "name")
    String name() default "";

    /**
     * Returns how long the lock stays taken at least, counted from the grant, as {@link
     * DistributedLock#minHoldString()}: a text such as {@code "30s"}, {@code "PT30S"}, or a placeholder. Longer than
     * the clocks of the instances differ, or a late instance runs the method again; shorter than the period, or the
     * next run is skipped. A time of less than a second fails the start.
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "minHoldString")
    String minHold();

    /**
     * Returns how long the lock is renewed at most, as {@link DistributedLock#maxHoldString()}; if it is empty, the
     * default {@code distributed-lock.watchdog.max-hold} applies.
     */
    @AliasFor(annotation = DistributedLock.class, attribute = "maxHoldString")
    String maxHold() default "";
}
