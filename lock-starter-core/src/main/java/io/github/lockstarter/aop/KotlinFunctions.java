package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;

/**
 * What the byte code of a Kotlin function does not show to Java reflection. Kotlin is not a dependency of this library:
 * its types are recognized by name, and declarations are read through Spring.
 */
final class KotlinFunctions {

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    private static final ClassLoader LOADER = KotlinFunctions.class.getClassLoader();

    /** Whether the library is present without which Spring's proxies do not turn suspend functions into publishers. */
    private static final boolean COROUTINES_REACTOR_PRESENT =
            ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", LOADER);

    private static final boolean REFLECT_PRESENT = ClassUtils.isPresent("kotlin.reflect.full.KClasses", LOADER);

    private KotlinFunctions() {}

    /** Returns whether the method is a suspend function: its last parameter is a continuation. */
    static boolean isSuspending(Method method) {
        int count = method.getParameterCount();
        return count > 0 && method.getParameterTypes()[count - 1].getName().equals(CONTINUATION);
    }

    static boolean isFlow(Class<?> type) {
        return type.getName().equals(FLOW);
    }

    /** Returns the declared return type of a suspend function; {@code void} for {@code Unit}. */
    static Class<?> returnType(Method suspending) {
        return new MethodParameter(suspending, -1).getParameterType();
    }

    /** Returns whether the function is written in Kotlin and declares a result that cannot be null. */
    static boolean returnsNonNull(Method method) {
        return REFLECT_PRESENT
                && KotlinDetector.isKotlinType(method.getDeclaringClass())
                && !new MethodParameter(method, -1).isOptional();
    }

    /** Returns the parameters of the declaration, without the continuation of a suspend function. */
    static Class<?>[] parameterTypes(Method method) {
        Class<?>[] types = method.getParameterTypes();
        return isSuspending(method) ? Arrays.copyOf(types, types.length - 1) : types;
    }

    /** Returns the name of the declaration: with value classes among the parameters, the compiler appends a hash. */
    static String name(Method method) {
        String name = method.getName();
        int hash = name.indexOf('-');
        return hash > 0 && KotlinDetector.isKotlinType(method.getDeclaringClass()) ? name.substring(0, hash) : name;
    }

    /** Returns the artifacts that a lock around coroutines requires and that are missing; empty if all are present. */
    static List<String> missingArtifacts() {
        List<String> missing = new ArrayList<>();
        if (!COROUTINES_REACTOR_PRESENT) {
            missing.add("org.jetbrains.kotlinx:kotlinx-coroutines-reactor");
        }
        if (!REFLECT_PRESENT) {
            missing.add("org.jetbrains.kotlin:kotlin-reflect");
        }
        return missing;
    }

    /** Returns how the method uses coroutines, as a text for messages, or {@code null} if it does not. */
    static @Nullable String coroutineUse(LockSite site) {
        if (site.isSuspending()) {
            return "is a suspend function";
        }
        return site.returnsFlow() ? "returns a Flow" : null;
    }
}
