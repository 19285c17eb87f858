package io.github.lockstarter.aop.weave;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.aop.metadata.LockAnnotations;
import io.github.lockstarter.aop.metadata.LockSite;
import io.github.lockstarter.aop.metadata.LockedMethod;
import io.github.lockstarter.aop.metadata.LockedType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** Refuses annotations of beans that no weaver has honoured: such a method would run without its lock. */
public final class WeavingRules {

    private static final String OR_PROXY = ", or set distributed-lock.mode=proxy.";

    private WeavingRules() {}

    /** Checks what the application asks for, and reads it. */
    public static void check(LockedType type) {
        for (LockedMethod locked : type.methods()) {
            locked.specs();
            locked.checkResult();
            checkWoven(locked);
        }
    }

    private static void checkWoven(LockedMethod locked) {
        LockSite site = locked.site();
        Method method = site.method();
        if (WovenMethods.contains(method)) {
            return;
        }
        if (Modifier.isAbstract(method.getModifiers())) {
            throw site.refused(
                    "distributed-lock.mode=aspectj, and the method has no code that a weaver could change",
                    "Annotate a method that calls it" + OR_PROXY);
        }
        if (!isInSight(locked) && locked.isClassLevel() && LockAnnotations.isDeclaredOn(site.beanClass())) {
            throw site.refused(
                    "distributed-lock.mode=aspectj, and the method stands in a superclass without the annotation, where"
                            + " no weaver puts the lock",
                    "Annotate " + method.getDeclaringClass().getName() + " too, or single methods instead of the class"
                            + OR_PROXY);
        }
        if (!isInSight(locked)) {
            throw site.refused(
                    "distributed-lock.mode=aspectj, and the annotation is inherited, which no weaver sees",
                    "Put it on the method itself" + (locked.isClassLevel() ? " or on the class in which it stands" : "")
                            + OR_PROXY);
        }
        if (isTooDeep(locked)) {
            throw site.refused(
                    "distributed-lock.mode=aspectj, and the annotation lies more than two composed annotations deep,"
                            + " where no weaver sees it",
                    "Put @DistributedLock nearer to the method" + OR_PROXY);
        }
        throw site.refused(
                "distributed-lock.mode=aspectj, but no weaver has put the lock into the method",
                "Start the JVM with -javaagent:aspectjweaver.jar (the file of org.aspectj:aspectjweaver). If it has"
                        + " that already, look at the aop.xml of the application: it must include the package "
                        + method.getDeclaringClass().getPackageName() + " and must not exclude the aspect "
                        + DistributedLock.class.getPackageName() + ".aop.weave.DistributedLockAspect. Otherwise set"
                        + " distributed-lock.mode=proxy.");
    }

    private static boolean isInSight(LockedMethod locked) {
        Method method = locked.site().method();
        return LockAnnotations.isDeclaredOn(locked.isClassLevel() ? method.getDeclaringClass() : method);
    }

    /** The pattern of the aspect names each level. */
    private static boolean isTooDeep(LockedMethod locked) {
        return locked.annotations().stream().anyMatch(annotation -> annotation.getDistance() > 2);
    }
}
