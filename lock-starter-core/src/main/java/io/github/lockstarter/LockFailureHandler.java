package io.github.lockstarter;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Decides what annotated methods do when their lock is not granted, for the whole application: a bean of this type is
 * asked by every {@link DistributedLock} method that says neither {@link DistributedLock#onNotGranted} nor
 * {@link DistributedLock#fallback} for itself. It is called without the lock in the calling thread, or, if the method
 * returns a publisher, in one of the library; by many threads at once. Of several such beans the primary one is asked;
 * without it an application on Spring Boot does not start if it has methods that would ask, and any other asks none.
 */
@FunctionalInterface
public interface LockFailureHandler {

    /**
     * Answers a call whose method was not run.
     *
     * @param failure which lock, and how long it was waited for
     * @param method the annotated method
     * @param arguments those of the call
     * @return what the caller gets; ignored for void. It must fit the method's return type, or the call fails with
     *     {@link IllegalStateException}; null becomes a future of null, or an empty publisher
     * @throws Exception what the caller gets instead; throw the failure itself for the default behaviour
     */
    @Nullable
    Object notGranted(LockNotGrantedException failure, Method method, @Nullable Object[] arguments) throws Exception;
}
