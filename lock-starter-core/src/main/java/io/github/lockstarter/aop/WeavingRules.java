package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;

/**
 * Rejects locked methods that no weaver has changed ({@code distributed-lock.mode=aspectj}): they would run without
 * lock.
 */
final class WeavingRules {

    private static final String MODE = "distributed-lock.mode=aspectj, ";

    private static final String OR_PROXY = ", or set distributed-lock.mode=proxy.";

    private WeavingRules() {}

    /** Checks the locked methods of a bean and reads their annotations. */
    public static void check(List<LockedMethod> methodsOfBean) {
        for (LockedMethod method : methodsOfBean) {
            method.specs();
            method.checkResult();
            checkNotSuspending(method.site());
            checkWoven(method);
        }
    }

    /** The code of a suspend function is entered again after each suspension, and advice around it as often. */
    private static void checkNotSuspending(LockSite site) {
        if (site.isSuspending()) {
            throw site.rejection(
                    MODE + "but the method is a suspend function, and a lock cannot be woven into one",
                    "Call LockRegistry.acquireAsync in the function, annotate a method that is not suspending, or set"
                            + " distributed-lock.mode=proxy.");
        }
    }

    private static void checkWoven(LockedMethod locked) {
        LockSite site = locked.site();
        Method method = site.method();
        if (WovenMethods.contains(method)) {
            return;
        }
        if (Modifier.isAbstract(method.getModifiers())) {
            throw site.rejection(
                    MODE + "but the method is abstract and cannot be woven",
                    "Annotate a method that calls it" + OR_PROXY);
        }
        if (!isVisible(locked) && locked.isClassLevel() && LockAnnotations.isDeclaredOn(site.beanClass())) {
            throw site.rejection(
                    MODE + "but the method is declared in a superclass without the annotation, which is not woven",
                    "Annotate " + method.getDeclaringClass().getName() + " too, or single methods instead of the class"
                            + OR_PROXY);
        }
        if (!isVisible(locked)) {
            throw site.rejection(
                    MODE + "but the annotation is inherited, and a weaver finds only declared annotations",
                    "Annotate the method itself" + (locked.isClassLevel() ? " or the class that declares it" : "")
                            + OR_PROXY);
        }
        if (isTooDeep(locked)) {
            throw site.rejection(
                    MODE + "but a weaver finds the annotation in at most two levels of composed annotations",
                    "Reduce the levels between the method and the annotation of this library" + OR_PROXY);
        }
        throw site.rejection(
                MODE + "but the method has not been woven",
                "Start the JVM with -javaagent:aspectjweaver.jar (the file of org.aspectj:aspectjweaver). If the agent is"
                        + " present, check the application's aop.xml: it must include the package "
                        + method.getDeclaringClass().getPackageName() + " and must not exclude the aspect "
                        + WeavingRules.class.getPackageName() + ".DistributedLockAspect. Otherwise set"
                        + " distributed-lock.mode=proxy.");
    }

    private static boolean isVisible(LockedMethod locked) {
        Method method = locked.site().method();
        return LockAnnotations.isDeclaredOn(locked.isClassLevel() ? method.getDeclaringClass() : method);
    }

    /** The aspect's pointcut contains each level. */
    private static boolean isTooDeep(LockedMethod locked) {
        return locked.annotations().stream().anyMatch(annotation -> annotation.getDistance() > 2);
    }
}
