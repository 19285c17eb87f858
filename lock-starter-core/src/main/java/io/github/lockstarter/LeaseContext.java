package io.github.lockstarter;

import io.github.lockstarter.text.Printable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Provides the lease of the annotated method that runs in the current thread, the innermost one if they are nested. A
 * call whose {@link DistributedLock#condition} is false has no lease. Other threads have no lease unless it is passed
 * to them with {@link #call}.
 */
public final class LeaseContext {

    private static final ThreadLocal<Lease> CURRENT = new ThreadLocal<>();

    private LeaseContext() {}

    /**
     * Returns the variable that contains the lease of each thread, for libraries that carry such variables to other
     * threads, as {@code asContextElement} of Kotlin's coroutines and Micrometer's context propagation do. Setting it
     * neither acquires nor releases a lock. The value is {@code null} if there is no lease.
     */
    public static ThreadLocal<Lease> threadLocal() {
        return CURRENT;
    }

    /** Returns the lease of the innermost locked method in this thread, or empty if there is none. */
    public static Optional<Lease> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    /**
     * Returns the lease of the innermost locked method in this thread.
     *
     * @throws IllegalStateException if there is none; the message lists the usual reasons
     */
    public static Lease required() {
        Lease lease = CURRENT.get();
        if (lease == null) {
            throw new IllegalStateException(
                    Printable.of("No method annotated with @DistributedLock or @DistributedSemaphore runs in"
                            + " thread '"
                            + Thread.currentThread().getName()
                            + "'. Usual reasons: the method was called on 'this', in its"
                            + " class, constructor or @PostConstruct, and not on the Spring bean; the object was created with"
                            + " new; the method runs in another thread (an executor, @Async, a parallel stream), to which"
                            + " LeaseContext.call passes the lease; in a Mono or Flux the lease is in the Reactor context, under"
                            + " Lease.class; the condition of the annotation is false for this call; locks are disabled"
                            + " (distributed-lock.enabled=false), or this is a slice test without them."));
        }
        return lease;
    }

    /**
     * Runs the body in the calling thread with the lease as the current one, and restores the previous one afterwards.
     * Neither acquires nor releases a lock.
     *
     * @param lease the lease that {@link #current} returns while the body runs
     * @param body the work
     * @param <T> type of the result of the body, which may be null
     * @param <E> type of the checked exceptions of the body
     * @return the result of the body
     * @throws E the exception of the body
     */
    public static <T extends @Nullable Object, E extends Throwable> T call(Lease lease, LockedCallback<T, E> body)
            throws E {
        Lease outer = CURRENT.get();
        CURRENT.set(lease);
        try {
            return body.run(lease);
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }
}
