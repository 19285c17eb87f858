package io.github.lockstarter.aop.weave;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockException;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * Puts the lock into the code of {@link DistributedLock} methods, where AspectJ's load-time weaver is at work: private,
 * static and final methods get it, too, and so do calls on {@code this}. It does so in applications that ask for it
 * ({@code distributed-lock.mode=aspectj}) and lets all calls pass in others.
 *
 * <p>It is no bean, and nothing has to be done with it: {@code META-INF/aop.xml} of this library names it to the weaver.
 * Methods are woven that carry the annotation themselves, also by way of composed annotations, and the public ones that
 * stand in a class that does. Annotations of interfaces and superclasses are out of a weaver's sight; beans with such
 * methods fail the start.
 *
 * <p>A call for which there is no open application context throws {@link LockException}: it never runs without its lock.
 *
 * <p>Where Spring's own aspects are woven into the same method, {@code @Async} is outside of the lock, transactions and
 * caches are inside. Proxies are outside of everything that is woven.
 */
@Aspect
@DeclarePrecedence("org.springframework.scheduling.aspectj.*,"
        + " io.github.lockstarter.aop.weave.DistributedLockAspect,"
        + " org.springframework.transaction.aspectj.*,"
        + " org.springframework.cache.aspectj.*")
public final class DistributedLockAspect {

    private static final String API = "io.github.lockstarter.";

    private static final String OURS = "(" + API + "DistributedLock || " + API + "DistributedLocks)";

    private static final String COMPOSED = "(@" + OURS + " *)";

    /** Patterns have no recursion: two levels of composed annotations. */
    private static final String ANNOTATED = "@(" + OURS + " || " + COMPOSED + " || (@" + COMPOSED + " *))";

    private static final DistributedLockAspect ASPECT = new DistributedLockAspect();

    private DistributedLockAspect() {}

    /** Where woven code finds the aspect; here, so that the weaver need not be allowed to change this class. */
    public static DistributedLockAspect aspectOf() {
        return ASPECT;
    }

    /** Asked by tools of AspectJ. */
    public static boolean hasAspect() {
        return true;
    }

    /** Called by woven code in place of the method. */
    @Around(
            argNames = "call",
            value = "execution(" + ANNOTATED + " * *(..))" + " || (execution(public !static * *(..)) && within("
                    + ANNOTATED + " *))")
    public @Nullable Object lock(ProceedingJoinPoint call) throws Throwable {
        return LockedApplications.call(new WovenCall(call));
    }
}
