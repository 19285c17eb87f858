package io.github.lockstarter;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * Handles calls of annotated methods whose lock was not granted, for the whole application. A bean of this type is
 * called for every {@link DistributedLock} and {@link DistributedSemaphore} method that sets neither {@link
 * DistributedLock#onNotGranted} nor {@link DistributedLock#fallback}. It is called without the lock, in the calling
 * thread or, if the method returns a publisher, in a thread of the library, and must be thread-safe.
 *
 * <p>Of several beans the primary one is called. If none is primary, an application on Spring Boot does not start if it
 * has methods that need the handler; without Spring Boot none is called.
 */
@FunctionalInterface
public interface LockFailureHandler {

    /**
     * Returns the result of a call whose method was not run.
     *
     * @param failure the lock and the times of the wait
     * @param method the annotated method
     * @param arguments the arguments of the call
     * @return the result of the call; ignored for void. If it does not fit the return type, the call throws
     *     {@link IllegalStateException}; null becomes a future of null or an empty publisher
     * @throws Exception the exception of the call; throw the failure itself for the default behaviour
     */
    @Nullable
    Object notGranted(LockNotGrantedException failure, Method method, @Nullable Object[] arguments) throws Exception;
}
