package io.github.lockstarter;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.springframework.core.annotation.AliasFor;

/**
 * Limits how many calls of a method run at the same time, in all JVMs together. A call acquires permits of a
 * distributed semaphore before the method and its transaction begin, and returns them after both have ended. By default
 * the lease of the permits is renewed while the method runs; permits of a crashed JVM return when their lease expires.
 *
 * <pre class="code">
 * &#64;DistributedSemaphore(name = "exports", permitsString = "${exports.permits}")
 * &#64;DistributedSemaphore(name = "exports-of-tenant", key = "#tenant", permits = 2)
 * public void export(String tenant) { … }
 * </pre>
 *
 * <p>It is a limit of concurrency. It is not a rate limiter: for a number of calls per second use a library such as
 * Bucket4j. For one call at a time use {@link DistributedLock}, whose fencing token can also protect a resource.
 *
 * <p>The number of permits belongs to the annotation and is not stored: nothing has to be set up or removed, and each
 * call applies its own number to the permits that are held, also if instances have different numbers during a rolling
 * deployment. Requests are granted in the order of their arrival: a call that requests many permits is not overtaken by
 * calls that request few.
 *
 * <p>Where it may be placed, which calls it applies to, and what fails the start of the application is the same as for
 * {@link DistributedLock}; a repeated annotation acquires the permits of each occurrence. An annotation on a method
 * replaces the one of the same type on its class. If a method has both annotations, the permits are acquired before the
 * locks, so that no call holds a lock while it waits for permits, and returned after them; {@link LeaseContext}
 * provides the lease that was acquired last. Condition, fallback and the other attributes belong to the semaphore
 * alone.
 *
 * <p>A method that returns a {@code CompletableFuture} or {@code CompletionStage} holds the permits until the future is
 * complete, and one that returns a {@code Mono} or {@code Flux} acquires them at each subscription.
 *
 * <p>The permits belong to the calling thread and are reentrant: a nested call for the same semaphore that requests at
 * most the permits that the thread holds runs under them. A nested call that requests more gets an {@link
 * IllegalStateException}, because it could wait for itself.
 *
 * <p>The exceptions are those of {@link DistributedLock}.
 *
 * <p>Properties {@code distributed-lock.locks.<name>} of the static name replace its times, its limit of waiters
 * and its reaction to a loss.
 *
 * @see LeaseSemaphore
 * @see LockRequest#withPermits
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(DistributedSemaphores.class)
public @interface DistributedSemaphore {

    /** Value of a time attribute that selects the configured default. */
    long DEFAULT = DistributedLock.DEFAULT;

    /** Alias of {@link #key}. */
    @AliasFor("key")
    String value() default "";

    /**
     * SpEL expression for the key of the semaphore, such as {@code "#tenant"}: each key has permits of its own. Empty
     * (the default): all calls share the semaphore with the {@link #name}. The rules are those of {@link
     * DistributedLock#key}; a collection is several semaphores, of each of which the call acquires {@link #weight}
     * permits.
     */
    @AliasFor("value")
    String key() default "";

    /**
     * Number of permits that all holders in all JVMs may have together, from 1 to 999,999,999. Default: 0, which stands
     * for {@link #permitsString}; one of the two must be set.
     */
    int permits() default 0;

    /**
     * {@link #permits} as text with placeholders, such as <code>"${exports.permits}"</code>, instead of it. It is
     * resolved when the application starts, which fails if the text is not such a number. Empty (the default): not set.
     * Setting both is rejected at start-up.
     */
    String permitsString() default "";

    /**
     * Number of permits that a call requests, all or none. More than {@link #permits} is rejected at start-up. Default:
     * 1.
     */
    int weight() default 1;

    /**
     * SpEL expression that determines whether a call acquires permits. False: the method runs without them, and without
     * meters, events and observations for them. Empty (the default): each call acquires permits. The rules are those of
     * {@link DistributedLock#condition}.
     */
    String condition() default "";

    /**
     * Static name of the semaphore: literal text with <code>${placeholders}</code>, which is also the tag {@code lock}
     * of its meters; see {@link DistributedLock#name}. Methods with the same name share the permits for equal keys,
     * each with the number of its own annotation. A name must not be used for a lock as well: within one application
     * this fails the start, and between applications the second use is rejected with a {@link LockStoreException}.
     *
     * <p>Default: {@code SimpleClassName.methodName} with the class of the bean, so that each method has its own
     * semaphore. Two methods with the same default name fail the start; so does a method whose {@link DistributedLock}
     * has no name either.
     */
    String name() default "";

    /**
     * Duration of one grant, in {@link #timeUnit}. {@code -1} (the default): {@code distributed-lock.watchdog.timeout},
     * renewed by the watchdog while the method runs. Greater than 0: a fixed lease that is never renewed; a method that
     * runs longer loses its permits.
     */
    long lease() default -1;

    /**
     * {@link #lease} as text with placeholders, such as {@code "30s"}, {@code "PT30S"} or {@code "-1"}; a bare number
     * is in {@link #timeUnit}. Empty (the default): not set. Setting both is rejected at start-up.
     */
    String leaseString() default "";

    /**
     * Time to wait for the permits, in {@link #timeUnit}. Default: {@code distributed-lock.wait-time}. {@code 0}: one
     * attempt. {@code -1}: no limit. After the wait the call fails with {@link LockNotGrantedException}.
     */
    long waitTime() default DEFAULT;

    /** {@link #waitTime} as text with placeholders, instead of it; see {@link #leaseString}. */
    String waitTimeString() default "";

    /**
     * Maximum number of callers of this instance that wait for permits of one semaphore; see {@link
     * DistributedLock#maxWaiters}. A caller also waits while the attempt of another caller of this instance is under
     * way.
     */
    int maxWaiters() default DistributedLock.DEFAULT_MAX_WAITERS;

    /**
     * Longest time for which a lease is renewed, in {@link #timeUnit}. After it the watchdog stops renewing, and the
     * lease is lost with {@link LossReason#MAX_HOLD} when it expires. Default: {@code
     * distributed-lock.watchdog.max-hold}. {@code -1}: no limit.
     */
    long maxHold() default DEFAULT;

    /** {@link #maxHold} as text with placeholders, instead of it; see {@link #leaseString}. */
    String maxHoldString() default "";

    /**
     * Minimum time for which the permits are taken after the call was granted all that it requests, in {@link
     * #timeUnit}: permits that are returned earlier stay taken until then. It does not apply to a call that was not
     * granted all of its permits and locks. Default: 0.
     */
    long minHold() default 0;

    /** {@link #minHold} as text with placeholders, instead of it; see {@link #leaseString}. */
    String minHoldString() default "";

    /** Unit of the numeric time attributes, and of a bare number in their text forms. Default: milliseconds. */
    TimeUnit timeUnit() default TimeUnit.MILLISECONDS;

    /** Behaviour when the lease is lost while the method runs. Default: {@code distributed-lock.on-lost}. */
    OnLost onLost() default OnLost.DEFAULT;

    /**
     * Behaviour when the permits are not granted within the wait. {@link OnNotGranted#SKIP} is rejected at start-up for
     * methods that return a primitive value. A failure of the store is thrown as {@link LockStoreException} in any
     * case.
     *
     * @see LockFailureHandler
     */
    OnNotGranted onNotGranted() default OnNotGranted.THROW;

    /**
     * Name of a method of the same class that is called, without the permits, if they are not granted; replaces {@link
     * #onNotGranted}. The rules are those of {@link DistributedLock#fallback}. Empty (the default): none.
     */
    String fallback() default "";

    /**
     * Inside an already running transaction, keeps the permits until that transaction has committed or rolled back, and
     * prevents its commit after their loss. {@code false}: the permits return when the method ends. Has no effect on
     * methods that return a future or a publisher, and on calls whose {@link #condition} is false.
     *
     * <p>As long as the transaction keeps permits, its calls for the same semaphore are nested ones, which cannot
     * request a larger {@link #weight}.
     */
    boolean releaseAfterTransaction() default true;
}
