package io.github.lockstarter;

import io.github.lockstarter.text.Printable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gives access to the lease of the annotated method that runs in the current thread, and to the innermost one if they are
 * nested. A call whose {@link DistributedLock#condition} is false has no lease of its own. Threads that the method starts
 * have no lease, unless it is passed on with {@link #call}.
 */
public final class LeaseContext {

    private static final ThreadLocal<Lease> CURRENT = new ThreadLocal<>();

    private LeaseContext() {}

    /** Returns the lease of the innermost locked method in this thread; empty outside of one. */
    public static Optional<Lease> current() {
        return Optional.ofNullable(CURRENT.get());
    }

    /**
     * Returns the lease of the innermost locked method in this thread.
     *
     * @throws IllegalStateException outside of one; the message lists the usual reasons
     */
    public static Lease required() {
        Lease lease = CURRENT.get();
        if (lease == null) {
            throw new IllegalStateException(Printable.of("No method annotated with @DistributedLock runs in thread '"
                    + Thread.currentThread().getName() + "'. Usual reasons: the method was called on 'this', in its"
                    + " class, constructor or @PostConstruct, and not on the Spring bean; the object was made with new;"
                    + " this is another thread than that of the method (an executor, @Async, a parallel stream): pass"
                    + " the lease along with LeaseContext.call; in a Mono or Flux the lease is in the Reactor context,"
                    + " under Lease.class; the condition of the annotation is false for this call; locks are switched off"
                    + " (distributed-lock.enabled=false), or this is a slice test without them."));
        }
        return lease;
    }

    /**
     * Runs the body in the calling thread with the lease as the current one, and puts back what was current before. Neither
     * acquires nor releases anything.
     *
     * @param lease what {@link #current} returns meanwhile
     * @param body the work
     * @param <T> type of the result of the body, which may be null
     * @param <E> type of the checked exceptions of the body
     * @return the result of the body
     * @throws E what the body throws
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
