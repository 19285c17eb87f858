package io.github.lockstarter;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Decides what annotated methods do when their lock is not granted, for the whole application: a bean of this type is
 * called for every {@link DistributedLock} method that sets neither {@link DistributedLock#onNotGranted} nor
 * {@link DistributedLock#fallback}. It must be thread-safe: it is called without the lock in the calling thread, or, if the
 * method returns a publisher, in a thread of the library. Of several such beans the primary one is called; without a
 * primary one, an application on Spring Boot does not start if it has methods that need it, and any other calls none.
 */
@FunctionalInterface
public interface LockFailureHandler {

    /**
     * Returns the result of a call whose method was not run.
     *
     * @param failure which lock, how long the call waited, and how long it was willing to wait
     * @param method the annotated method
     * @param arguments those of the call
     * @return what the caller gets; ignored for void. It must fit the method's return type, or the call fails with
     *     {@link IllegalStateException}; null becomes a future of null, or an empty publisher
     * @throws Exception what the caller gets instead; throw the failure itself for the default behaviour
     */
    @Nullable
    Object notGranted(LockNotGrantedException failure, Method method, @Nullable Object[] arguments) throws Exception;
}
