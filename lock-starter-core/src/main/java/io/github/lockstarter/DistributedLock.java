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
 * Runs a method under a distributed lock: the lock is acquired before the method (and before its transaction) begins and
 * released after both have ended. By default the lease is renewed for as long as the method runs.
 *
 * <p>On a class or interface it applies to each public instance method of the bean, except those of {@link Object}; an
 * annotation on the method itself replaces it. It may be a meta-annotation, and its attributes may be aliased. It applies
 * only to calls through the Spring proxy: a call of {@code this.method()} takes no lock. Methods that cannot be
 * intercepted (private, static, final), methods that the container calls itself ({@code @Bean}, {@code @PostConstruct}),
 * and methods of beans that are created before locks can be put around them fail the start of the application. With
 * {@code distributed-lock.mode=aspectj} the lock is woven into the method itself: calls on {@code this}, and private,
 * static and final methods take it, too; an inherited annotation fails the start.
 *
 * <p>A method that returns a {@code CompletableFuture} or {@code CompletionStage} holds the lock until that is complete.
 * Cancelling the future that the caller gets does not release the lock, because it does not stop the work. A method that
 * returns a {@code Mono} or {@code Flux} takes the lock at each subscription and releases it at its end or cancellation.
 * Repeated, the annotation takes one lock for each. A transaction that is begun under the lock does not commit once the
 * lock is lost.
 *
 * <p>The lock is owned by the calling thread and reentrant: a nested call for the same lock costs no I/O and keeps the
 * fencing token. The lock cannot stop code that was paused after its last check; pass {@link Lease#fencingToken()} to the
 * resource for that.
 *
 * <p>A call fails with {@link LockNotGrantedException}, {@link LockStoreException} or {@link LockLostException}, and with
 * {@link InvalidLockKeyException} or {@link InvalidLockConditionException} before it has asked for a lock. A thread that is
 * interrupted while it waits gets {@link InterruptedException} if the method declares it, and
 * {@link LockInterruptedException} otherwise. The future of a method that returns one fails with
 * {@link LockInterruptedException} in any case; to wait without a thread, use {@link LockRegistry#acquireAsync}. A
 * {@code Mono} or {@code Flux} fails with all of these exceptions instead of the call.
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

    /** Value of a time attribute that stands for "what is configured". */
    long DEFAULT = Long.MIN_VALUE;

    /** Alias of {@link #key}. */
    @AliasFor("key")
    String value() default "";

    /**
     * SpEL expression for what is locked, such as {@code "#order.id"}. Empty (the default): the lock is {@link #name}
     * alone, one for all calls.
     *
     * <p>It sees the parameters by name ({@code #orderId}, needs {@code -parameters}) and by position ({@code #a0},
     * {@code #p0}), {@code #root.method}, {@code #root.target} and beans ({@code @tenants.current()}). It is evaluated
     * once per call, for a {@code Mono} or {@code Flux} once per subscription. {@code T(…)}, {@code new}, assignments, unknown variables, and properties that a record or another
     * final type does not have are refused at start-up.
     *
     * <p>A result that is null or blank is refused with {@link InvalidLockKeyException}, and so is null as an operand of
     * {@code +}: {@code 'order-' + #id} would be one lock for all calls without an id. The same applies to values whose
     * text may differ between JVMs: arrays, maps, optionals, {@code Date} and {@code Calendar}, objects that do not
     * override {@code toString}, texts that contain an identity hash, and records in whose text such a value or an
     * unordered collection appears. A collection is several keys: all of their locks are taken, in the order of their names
     * and within one wait, or none; at most 256 by one call.
     */
    @AliasFor("value")
    String key() default "";

    /**
     * SpEL expression that decides whether a call takes the lock, such as {@code "#order.total > 1000"}. True: the call
     * takes it. False: the method runs without it, and nothing is recorded of it in meters, events and observations. Empty
     * (the default): each call takes the lock.
     *
     * <p>It sees what {@link #key} sees, with the same checks at start-up, and is evaluated before the key, once per call;
     * for a {@code Mono} or {@code Flux}, condition and key are evaluated once per subscription. Repeated annotations have
     * a condition each. A result that is null or no {@code Boolean} is refused with {@link InvalidLockConditionException},
     * and the method is not run.
     *
     * <p>Without the lock there is no {@link Lease} of this method either: {@link LeaseContext} has the one of an outer
     * locked method, or none, and no commit is refused. Two calls of which only one takes the lock do not exclude each
     * other.
     */
    String condition() default "";

    /**
     * Name of the lock, literal text with <code>${placeholders}</code>; also the tag {@code lock} of its meters, so
     * never put an identifier here; an expression is refused at start-up. Methods that are given the same name share the
     * lock, and exclude each other for equal keys.
     *
     * <p>Default: {@code SimpleClassName.methodName}, after the class of the bean, so that each method has a lock of its
     * own. Two methods that derive the same name (classes of the same simple name, overloads) fail the start.
     */
    String name() default "";

    /**
     * Duration of one grant, in {@link #timeUnit}. {@code -1} (the default): {@code distributed-lock.watchdog.timeout},
     * renewed by the watchdog while the method runs. Greater than 0: this long and never renewed; a method that runs
     * longer has lost its lock.
     */
    long lease() default -1;

    /**
     * {@link #lease} as text with placeholders, instead of it: {@code "30s"}, {@code "PT30S"}, {@code "-1"}; a bare number
     * is in {@link #timeUnit}. Empty: not set. Both: refused at start-up.
     */
    String leaseString() default "";

    /**
     * Time to wait for the lock, in {@link #timeUnit}. Default: {@code distributed-lock.wait-time}. {@code 0}: try
     * once. {@code -1}: wait without end. When the wait is over the call fails with {@link LockNotGrantedException}.
     */
    long waitTime() default DEFAULT;

    /** {@link #waitTime} as text with placeholders, instead of it; see {@link #leaseString}. */
    String waitTimeString() default "";

    /**
     * Cap of a renewed lease, in {@link #timeUnit}: after it the watchdog stops renewing, and the lease is lost with
     * {@link LossReason#MAX_HOLD} when it runs out. Default: {@code distributed-lock.watchdog.max-hold}. {@code -1}: none.
     */
    long maxHold() default DEFAULT;

    /** {@link #maxHold} as text with placeholders, instead of it; see {@link #leaseString}. */
    String maxHoldString() default "";

    /**
     * Keeps the lock at least this long after the call was granted all of its locks, in {@link #timeUnit}: released
     * earlier, it stays taken until then. For schedules, so that an instance with a slower clock does not run the same tick
     * again; use it with {@code waitTime = 0}, because a longer wait ends with the lock, and runs the tick again. A nested
     * call counts from where it takes the lock again, and the latest end counts. A lock that was granted before another one
     * of the call was refused is free at once. Default: 0.
     */
    long minHold() default 0;

    /** {@link #minHold} as text with placeholders, instead of it; see {@link #leaseString}. */
    String minHoldString() default "";

    /** Unit of the numeric time attributes, and of a bare number in their text forms. Default: milliseconds. */
    TimeUnit timeUnit() default TimeUnit.MILLISECONDS;

    /** What happens when the lease is lost while the method runs. Default: {@code distributed-lock.on-lost}. */
    OnLost onLost() default OnLost.DEFAULT;

    /**
     * What happens when the lock is not granted within the wait. {@link OnNotGranted#SKIP} is refused at start-up for
     * methods that return a primitive value. A store that fails is an exception all the same.
     *
     * @see LockFailureHandler
     */
    OnNotGranted onNotGranted() default OnNotGranted.THROW;

    /**
     * Name of a method of the same class to call, without the lock, when it is not granted; instead of
     * {@link #onNotGranted}. It takes the same parameters, optionally followed by a {@link LockNotGrantedException},
     * returns the same type, may be private, and is static if this one is.
     */
    String fallback() default "";

    /**
     * Inside an already running transaction, keeps the lock until that transaction has committed or rolled back.
     * {@code false}: released when the method ends. Has no effect on methods that return a future or a publisher, and on
     * calls whose {@link #condition} is false.
     */
    boolean releaseAfterTransaction() default true;
}
