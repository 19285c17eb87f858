package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Rejects locked methods that no weaver has changed ({@code distributed-lock.mode=aspectj}): they would run without
 * lock.
 */
final class WeavingRules {

    private static final String MODE = "distributed-lock.mode=aspectj, ";

    private WeavingRules() {}

    /** Checks the locked methods of a bean and reads their annotations. */
    static void check(List<LockedMethod> methodsOfBean) {
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
        if (locked.isWoven()) {
            return;
        }
        if (!LockAnnotations.isDeclaredOn(locked.isClassLevel() ? method.getDeclaringClass() : method)) {
            throw site.rejection(
                    MODE + "but the annotation is inherited, and a weaver finds only declared annotations",
                    "Annotate the method itself" + (locked.isClassLevel() ? " or the class that declares it" : "")
                            + ", or set distributed-lock.mode=proxy.");
        }
        throw site.rejection(
                MODE + "but the method has not been woven",
                "Start the JVM with -javaagent:aspectjweaver.jar (the file of org.aspectj:aspectjweaver). If the agent is"
                        + " present, check the application's aop.xml: it must include the package "
                        + method.getDeclaringClass().getPackageName() + " and must not exclude the aspect "
                        + WeavingRules.class.getPackageName() + ".DistributedLockAspect. A weaver changes no abstract"
                        + " methods, and finds at most two levels of composed annotations. Otherwise set"
                        + " distributed-lock.mode=proxy.");
    }

    /**
     * Returns whether an around advice with a join point parameter, such as ours, was woven into the method: its code has then
     * moved to a method of another name, which takes the same parameters and the join point. The byte code does not reveal to
     * which aspect it belongs.
     */
    static boolean isWoven(Method method) {
        List<Class<?>> parameters = new ArrayList<>();
        if (!Modifier.isStatic(method.getModifiers())) {
            parameters.add(method.getDeclaringClass());
        }
        parameters.addAll(List.of(method.getParameterTypes()));
        String moved = Pattern.quote(method.getName()) + "_aroundBody\\d+";
        return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
                .filter(other -> other.isSynthetic() && other.getName().matches(moved))
                .map(other -> Arrays.asList(other.getParameterTypes()))
                .anyMatch(types -> types.size() == parameters.size() + 1
                        && types.subList(0, parameters.size()).equals(parameters)
                        && types.get(parameters.size()).getName().equals("org.aspectj.lang.JoinPoint"));
    }
}
