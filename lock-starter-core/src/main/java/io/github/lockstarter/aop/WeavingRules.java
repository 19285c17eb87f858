package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Rejects locked methods that no weaver has changed ({@code distributed-lock.mode=aspectj}): they would run without
 * lock.
 */
final class WeavingRules {

    private static final String MODE = "distributed-lock.mode=aspectj, ";

    private static final String OR_PROXY = ", or set distributed-lock.mode=proxy.";

    /** A weaver moves the code to a method of such a name, which takes the same parameters and the join point. */
    private static final Pattern MOVED = Pattern.compile("(.+)_aroundBody\\d+");

    private static final String JOIN_POINT = "org.aspectj.lang.JoinPoint";

    private static final ClassValue<Set<Code>> MOVED_CODE = new ClassValue<>() {
        @Override
        protected Set<Code> computeValue(Class<?> type) {
            Set<Code> moved = new HashSet<>();
            for (Method method : type.getDeclaredMethods()) {
                if (method.isSynthetic() && MOVED.matcher(method.getName()).matches()) {
                    moved.add(Code.movedTo(method));
                }
            }
            return Set.copyOf(moved);
        }
    };

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
        if (isWoven(method)) {
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

    /**
     * Returns whether an around advice with a join point parameter, such as ours, was woven into the method. The byte
     * code does not reveal to which aspect it belongs.
     */
    static boolean isWoven(Method method) {
        Set<Code> moved = MOVED_CODE.get(method.getDeclaringClass());
        return !moved.isEmpty() && moved.contains(Code.of(method));
    }

    private record Code(String name, List<String> parameters) {

        static Code of(Method method) {
            List<String> parameters = names(method);
            if (!Modifier.isStatic(method.getModifiers())) {
                parameters.add(0, method.getDeclaringClass().getName());
            }
            parameters.add(JOIN_POINT);
            return new Code(method.getName(), List.copyOf(parameters));
        }

        static Code movedTo(Method method) {
            String name = MOVED.matcher(method.getName()).replaceFirst("$1");
            return new Code(name, List.copyOf(names(method)));
        }

        private static List<String> names(Method method) {
            return new ArrayList<>(Arrays.stream(method.getParameterTypes())
                    .map(Class::getName)
                    .toList());
        }
    }
}
