package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lock.Refusal;
import io.github.lockstarter.store.Reply;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * Initializes classes that would otherwise be initialized at the first loss, release, refusal or failure. On a full
 * heap, this initialization would fail, and every later use of the class would fail too. Classes without code in their
 * initialization are not listed.
 */
final class EarlyClasses {

    private static final List<Class<?>> ALL = List.of(
            Lease.State.class,
            LockHandedOverEvent.Kind.class,
            LockNotAcquiredEvent.Outcome.class,
            LockReleasedEvent.Outcome.class,
            LossReason.class,
            Refusal.Cause.class,
            Reply.LeftLine.class,
            Reply.NotOwner.class,
            Reply.Released.class,
            Reply.Renewed.class,
            ThreadOwnedLock.class,
            // These types occur in catch clauses. Their first lookup for the code of this module needs memory, and a
            // clause whose type cannot be looked up does not catch.
            Throwable.class,
            Error.class,
            OutOfMemoryError.class,
            Exception.class,
            RuntimeException.class,
            RejectedExecutionException.class);

    private EarlyClasses() {}

    static void initialize() {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        for (Class<?> each : ALL) {
            try {
                Class<?> unused = lookup.ensureInitialized(each);
            } catch (IllegalAccessException ex) {
                throw new IllegalStateException(ex);
            }
        }
    }
}
