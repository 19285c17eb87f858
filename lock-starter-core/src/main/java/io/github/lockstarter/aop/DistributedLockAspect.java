package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;

/**
 * Runs {@link DistributedLock} and {@link DistributedSemaphore} methods under their locks and permits if AspectJ's
 * load-time weaver is active: also private, static and final methods, and calls on {@code this}. It applies to
 * applications with {@code distributed-lock.mode=aspectj} and lets the calls of others proceed.
 *
 * <p>It is not a bean and needs no configuration: {@code META-INF/aop.xml} of this library declares it to the weaver.
 * Methods are woven that are annotated themselves, directly or with composed annotations, and public methods declared
 * in an annotated class. A weaver does not find annotations of interfaces and superclasses; with such beans, the
 * application fails to start.
 *
 * <p>A call without an open application context throws {@link LockException}: the method never runs without its lock.
 *
 * <p>If Spring's own aspects are woven into the same method, {@code @Async} is outside the lock, and transactions and
 * caches are inside. Proxies are outside everything that is woven.
 */
@Aspect
@DeclarePrecedence("org.springframework.scheduling.aspectj.*,"
        + " io.github.lockstarter.aop.DistributedLockAspect,"
        + " org.springframework.transaction.aspectj.*,"
        + " org.springframework.cache.aspectj.*")
public final class DistributedLockAspect {

    private static final String API = "io.github.lockstarter.";

    private static final String OURS = "(" + API + "DistributedLock || " + API + "DistributedLocks || " + API
            + "DistributedSemaphore || " + API + "DistributedSemaphores)";

    private static final String COMPOSED = "(@" + OURS + " *)";

    /** Two levels of composed annotations, as a pattern cannot be recursive. */
    private static final String ANNOTATED = "@(" + OURS + " || " + COMPOSED + " || (@" + COMPOSED + " *))";

    private static final DistributedLockAspect ASPECT = new DistributedLockAspect();

    private DistributedLockAspect() {}

    /**
     * Returns the aspect to woven code. Defined here, so that the weaver need not be configured to change this class.
     */
    public static DistributedLockAspect aspectOf() {
        return ASPECT;
    }

    /** Returns whether the aspect exists; called by tools of AspectJ. */
    public static boolean hasAspect() {
        return true;
    }

    /** Runs a call of a woven method. */
    @Around(
            argNames = "joinPoint",
            value = "execution(" + ANNOTATED + " * *(..))" + " || (execution(public !static * *(..)) && within("
                    + ANNOTATED + " *))")
    public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
        return WeavingContext.invoke(new JoinPointInvocation(joinPoint));
    }

    /**
     * Adapts a join point of AspectJ to the invocation of an interceptor. Unlike the invocation of a proxy, it can
     * proceed repeatedly.
     */
    private static final class JoinPointInvocation implements MethodInvocation {

        private final ProceedingJoinPoint joinPoint;

        JoinPointInvocation(ProceedingJoinPoint joinPoint) {
            this.joinPoint = joinPoint;
        }

        @Override
        public Method getMethod() {
            return ((MethodSignature) this.joinPoint.getSignature()).getMethod();
        }

        @Override
        public @Nullable Object[] getArguments() {
            return this.joinPoint.getArgs();
        }

        @Override
        public @Nullable Object getThis() {
            return this.joinPoint.getTarget();
        }

        @Override
        public AccessibleObject getStaticPart() {
            return getMethod();
        }

        @Override
        public @Nullable Object proceed() throws Throwable {
            return this.joinPoint.proceed();
        }
    }
}
