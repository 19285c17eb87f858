package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Recognizes methods that a weaver has changed. */
final class WovenMethods {

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

    private WovenMethods() {}

    /**
     * Returns whether an around advice with a join point parameter, such as ours, was woven into the method. The byte
     * code does not reveal to which aspect it belongs.
     */
    static boolean contains(Method method) {
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
