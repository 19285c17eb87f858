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
 * Runs a method under a distributed lock. The lock is acquired before the method and its transaction begin, and
 * released after both have ended. By default the lease is renewed while the method runs.
 *
 * <p>On a class or interface it applies to each public instance method of the bean, except those of {@link Object}; an
 * annotation on the method itself replaces it. It may be a meta-annotation, and its attributes may be aliased. It
 * applies only to calls through the Spring proxy: a call of {@code this.method()} does not acquire the lock. Annotated
 * methods that cannot be intercepted (private, static, final), that the container calls ({@code @Bean}, {@code
 * @PostConstruct}), or whose bean is created before the post-processor for locks, fail the start of the application.
 * With {@code distributed-lock.mode=aspectj} the lock is woven into the method itself: it also applies to calls on
 * {@code this} and to private, static and final methods, and an inherited annotation fails the start.
 *
 * <p>A method that returns a {@code CompletableFuture} or {@code CompletionStage} holds the lock until the future is
 * complete. Cancelling the future that the caller gets does not release the lock, because it does not stop the work. A
 * method that returns a {@code Mono} or {@code Flux} acquires the lock at each subscription and releases it at
 * termination or cancellation. A repeated annotation acquires one lock for each occurrence. If the method has a {@link
 * DistributedSemaphore} as well, its permits are acquired before the locks and released after them. A transaction that
 * begins under the lock does not commit after the lock was lost.
 *
 * <p>The lock is owned by the calling thread and reentrant: a nested call for the same lock costs no I/O and keeps the
 * fencing token. A lock cannot stop code that was paused after its last check; pass {@link Lease#fencingToken()} to the
 * resource to reject such code.
 *
 * <p>A call throws {@link LockNotGrantedException}, {@link LockStoreException} or {@link LockLostException}, and before
 * it requests a lock, {@link InvalidLockKeyException} or {@link InvalidLockConditionException}. If the thread is
 * interrupted while it waits, the call throws {@link InterruptedException} if the method declares it, and {@link
 * LockInterruptedException} otherwise. The future of a method that returns one fails with {@link
 * LockInterruptedException} in any case; use {@link LockRegistry#acquireAsync} to wait without a thread. A {@code Mono}
 * or {@code Flux} fails with all of these exceptions instead of the call.
 *
 * <p>Properties {@code distributed-lock.locks.<name>} of the static name replace its times, its limit of waiters
 * and its reaction to a loss.
 *
 * @see LeaseContext
 * @see <a href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">Kleppmann: How to do
 *     distributed locking</a>
 */
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

    /** Value of a time attribute that selects the configured default. */
    long DEFAULT = Long.MIN_VALUE;

    /** Value of {@link #maxWaiters} that selects the configured default. */
    int DEFAULT_MAX_WAITERS = Integer.MIN_VALUE;

    /** Alias of {@link #key}. */
    @AliasFor("key")
    String value() default "";

    /**
     * SpEL expression for the key of the lock, such as {@code "#order.id"}. Empty (the default): all calls share one
     * lock with the {@link #name}.
     *
     * <p>Available are the parameters by name ({@code #orderId}, needs {@code -parameters}) and by position ({@code
     * #a0}, {@code #p0}), {@code #root.method}, {@code #root.target} and beans ({@code @tenants.current()}). It is
     * evaluated once per call, and for a {@code Mono} or {@code Flux} once per subscription. {@code T(…)}, {@code new},
     * assignments, unknown variables, properties that a record or another final type does not have, and a key that is
     * one text are rejected at start-up.
     *
     * <p>A result that is null or blank is rejected with {@link InvalidLockKeyException}, and so is null as an operand
     * of {@code +}: {@code 'order-' + #id} would be one lock for all calls without an id. The same applies to values
     * whose text may differ between JVMs: arrays, maps, optionals, {@code Date} and {@code Calendar}, objects that do
     * not override {@code toString}, and records that contain such a value or an unordered collection. A collection is
     * several keys: their locks are acquired in the order of their names and within one wait, all or none, and at most
     * 256 by one call.
     */
    @AliasFor("value")
    String key() default "";

    /**
     * SpEL expression that determines whether a call acquires the lock, such as {@code "#order.total > 1000"}. False:
     * the method runs without the lock, and without meters, events and observations for it. Empty (the default): each
     * call acquires the lock.
     *
     * <p>The same variables as for {@link #key} are available, with the same checks at start-up. The condition is
     * evaluated before the key, once per call; for a {@code Mono} or {@code Flux}, condition and key are evaluated once
     * per subscription. Each repeated annotation has its own condition. A result that is null or no {@code Boolean} is
     * rejected with {@link InvalidLockConditionException}, and the method is not run.
     *
     * <p>A call without the lock has no {@link Lease}: {@link LeaseContext} returns that of an outer locked method, or
     * none, and no commit is prevented. Two calls of which only one acquires the lock do not exclude each other.
     */
    String condition() default "";

    /**
     * Static name of the lock: literal text with <code>${placeholders}</code>. It is also the tag {@code lock} of its
     * meters, so it must not contain identifiers; an expression and a word in braces are rejected at start-up. Methods
     * with the same name share the lock, and exclude each other for equal keys.
     *
     * <p>Default: {@code SimpleClassName.methodName} with the class of the bean, so that each method has its own lock.
     * Two methods with the same default name (classes with the same simple name, overloads) fail the start.
     */
    String name() default "";

    /**
     * What a grant allows beside it. {@link LockMode#WRITE} (the default): no other grant. {@link LockMode#READ}: other
     * readers of the same lock, in any JVM, but no writer. Methods that read and methods that write must have the same
     * {@link #name} and equal keys.
     *
     * <p>A reader inside a writer of the same thread needs no grant of its own. The opposite would wait for itself:
     * a writer inside a reader gets an {@link IllegalStateException}, also if only a transaction still holds the
     * lock for reading, see {@link #releaseAfterTransaction}. {@link LockMode#PERMIT} is rejected at start-up; use
     * {@link DistributedSemaphore}.
     */
    LockMode mode() default LockMode.WRITE;

    /**
     * Duration of one grant, in {@link #timeUnit}. {@code -1} (the default): {@code distributed-lock.watchdog.timeout},
     * renewed by the watchdog while the method runs. Greater than 0: a fixed lease that is never renewed; a method that
     * runs longer loses the lock.
     */
    long lease() default -1;

    /**
     * {@link #lease} as text with placeholders, such as {@code "30s"}, {@code "PT30S"} or {@code "-1"}; a bare number
     * is in {@link #timeUnit}. Empty (the default): not set. Setting both is rejected at start-up.
     */
    String leaseString() default "";

    /**
     * Time to wait for the lock, in {@link #timeUnit}. Default: {@code distributed-lock.wait-time}. {@code 0}: one
     * attempt. {@code -1}: no limit. After the wait the call fails with {@link LockNotGrantedException}.
     */
    long waitTime() default DEFAULT;

    /** {@link #waitTime} as text with placeholders, instead of it; see {@link #leaseString}. */
    String waitTimeString() default "";

    /**
     * Maximum number of callers of this instance that wait for one lock, of all methods and kinds of calls together. A
     * call that would have to wait in addition fails with {@link LockQueueFullException}, to which {@link
     * #onNotGranted} and {@link #fallback} apply, and sends no command. {@code 0}: each call that would have to wait,
     * after its first attempt if only another instance holds the lock. A negative number is rejected at start-up.
     * Default: {@code distributed-lock.max-waiters}.
     *
     * <p>A call does not count while its first attempt is under way, if it tries only once, if it is nested, or if it
     * can join readers of this instance.
     */
    int maxWaiters() default DEFAULT_MAX_WAITERS;

    /**
     * Longest time for which a lease is renewed, in {@link #timeUnit}. After it the watchdog stops renewing, and the
     * lease is lost with {@link LossReason#MAX_HOLD} when it expires. Default: {@code
     * distributed-lock.watchdog.max-hold}. {@code -1}: no limit.
     */
    long maxHold() default DEFAULT;

    /** {@link #maxHold} as text with placeholders, instead of it; see {@link #leaseString}. */
    String maxHoldString() default "";

    /**
     * Minimum time for which the lock is taken after the call was granted all of its locks, in {@link #timeUnit}: a
     * lock that is released earlier stays taken until then. For scheduled jobs, so that an instance with a slower clock
     * does not run the same job again; use it with {@code waitTime = 0}, because a longer wait can be granted the lock
     * afterwards. For a nested call it counts from the nested acquisition, and the latest end applies. It does not
     * apply to locks of a call that was not granted all of its locks. The release applies it: if the process dies
     * before that, a renewed lock is free after its lease. Default: 0.
     */
    long minHold() default 0;

    /** {@link #minHold} as text with placeholders, instead of it; see {@link #leaseString}. */
    String minHoldString() default "";

    /** Unit of the numeric time attributes, and of a bare number in their text forms. Default: milliseconds. */
    TimeUnit timeUnit() default TimeUnit.MILLISECONDS;

    /** Behaviour when the lease is lost while the method runs. Default: {@code distributed-lock.on-lost}. */
    OnLost onLost() default OnLost.DEFAULT;

    /**
     * Behaviour when the lock is not granted within the wait. {@link OnNotGranted#SKIP} is rejected at start-up for
     * methods that return a primitive value. A failure of the store is thrown as {@link LockStoreException} in any
     * case.
     *
     * @see LockFailureHandler
     */
    OnNotGranted onNotGranted() default OnNotGranted.THROW;

    /**
     * Name of a method of the same class that is called, without the lock, if the lock is not granted; replaces {@link
     * #onNotGranted}. It has the same parameters, optionally followed by a {@link LockNotGrantedException}, and the
     * same return type. It may be private, and must be static if the annotated method is. Empty (the default): none.
     */
    String fallback() default "";

    /**
     * Inside an already running transaction, keeps the lock until that transaction has committed or rolled back. {@code
     * false}: the lock is released when the method ends. Has no effect on methods that return a future or a publisher,
     * and on calls whose {@link #condition} is false.
     *
     * <p>After a call with {@link LockMode#READ}, the transaction holds the lock for reading, so that it cannot acquire
     * it for writing any more: set {@code false}, or acquire it for writing at first.
     */
    boolean releaseAfterTransaction() default true;
}
