package io.github.lockstarter.leader;

import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.key.DeferredTypes;
import io.github.lockstarter.text.LockLog;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * The annotations of one class, and the rules that they must meet: what a proxy cannot intercept would run on each
 * instance, and fails the start.
 *
 * @param type the class of the bean
 * @param role the role of the lifecycle bean as it is written, or {@code null} if the class has no annotation
 * @param methods the annotated methods
 */
record LeaderSite(Class<?> type, @Nullable String role, Map<Method, Guarded> methods) {

    /** How the result of a method reports that its work has ended. */
    enum Kind {
        DIRECT,
        FUTURE,
        MONO,
        FLUX
    }

    /** An annotated method, with its role as it is written. */
    record Guarded(String role, OnLost onLost, Kind kind) {}

    /** The results of skipped calls; null for other types. */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it
    private static final Map<Class<?>, Supplier<Object>> EMPTY = Map.of(
            Optional.class, Optional::empty,
            OptionalInt.class, OptionalInt::empty,
            OptionalLong.class, OptionalLong::empty,
            OptionalDouble.class, OptionalDouble::empty,
            CompletableFuture.class, () -> CompletableFuture.completedFuture(null),
            CompletionStage.class, () -> CompletableFuture.completedFuture(null));

    private static final LockLog logger = LockLog.of(LeaderSite.class);

    /** What the interceptor answers or decides about. */
    private static final Set<String> LIFECYCLE = Set.of("isAutoStartup", "start", "stop");

    private static final List<String> CALLBACKS =
            List.of("jakarta.annotation.PostConstruct", "jakarta.annotation.PreDestroy");

    static LeaderSite of(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, LeaderOnly.class)) {
            return new LeaderSite(type, null, Map.of());
        }
        MergedAnnotation<LeaderOnly> own =
                MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class);
        return new LeaderSite(type, own.isPresent() ? own.getString("value") : null, methods(type));
    }

    private static Map<Method, Guarded> methods(Class<?> type) {
        try {
            return MethodIntrospector.selectMethods(type, LeaderSite::guarded);
        } catch (IllegalStateException | LinkageError ex) {
            // Nothing tells whether the class has annotated methods, which would run on each instance.
            logger.warn("Methods of " + type.getName()
                    + " with @LeaderOnly, if it has any, are not restricted to the leader,"
                    + " because a class to which its methods refer is missing: " + ex + ". Add the missing class,"
                    + " or move annotated methods to a class without it.");
            return Map.of();
        }
    }

    private static @Nullable Guarded guarded(Method method) {
        MergedAnnotation<LeaderOnly> found =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class);
        return found.isPresent()
                ? new Guarded(found.getString("value"), found.getEnum("onLost", OnLost.class), kind(method))
                : null;
    }

    private static Kind kind(Method method) {
        Class<?> result = method.getReturnType();
        if (result == CompletableFuture.class || result == CompletionStage.class) {
            return Kind.FUTURE;
        }
        return switch (result.getName()) {
            case "reactor.core.publisher.Mono" -> Kind.MONO;
            case "reactor.core.publisher.Flux" -> Kind.FLUX;
            default -> Kind.DIRECT;
        };
    }

    boolean isEmpty() {
        return this.role == null && this.methods.isEmpty();
    }

    /** Returns whether a call of the method must pass the interceptor. */
    boolean isIntercepted(Method method) {
        return this.methods.containsKey(method) || (this.role != null && isLifecycle(method));
    }

    static boolean isLifecycle(Method method) {
        return LIFECYCLE.contains(method.getName())
                && (method.getParameterCount() == 0
                        || (method.getParameterCount() == 1 && method.getParameterTypes()[0] == Runnable.class));
    }

    /** Returns the result of a call that is skipped because this instance does not lead. */
    static @Nullable Object skipped(Method method) {
        Supplier<Object> empty = EMPTY.get(method.getReturnType());
        return empty != null ? empty.get() : null;
    }

    /**
     * Checks the annotations for a proxy.
     *
     * @param interfaces the interfaces of a proxy that has only their methods, or {@code null} if it extends the class
     */
    void check(@Nullable List<Class<?>> interfaces) {
        if (this.role != null && !SmartLifecycle.class.isAssignableFrom(this.type)) {
            throw LeaderElections.invalid(
                    "@LeaderOnly on " + this.type.getName() + " has no effect, because the class does not implement"
                            + " SmartLifecycle.",
                    "Annotate the methods that only the leader may run, or implement SmartLifecycle to start and stop"
                            + " with the role.");
        }
        this.methods.keySet().forEach(method -> check(method, interfaces));
        if (interfaces == null) {
            checkClass();
        }
    }

    private void check(Method method, @Nullable List<Class<?>> interfaces) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw rejection(
                    method,
                    "a proxy cannot intercept a private, static or final method",
                    "Annotate a method that other beans call and that can be overridden (in Kotlin: add open), or call"
                            + " LeaderElection.isLeader in the method.");
        }
        boolean isPackagePrivate = (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0;
        if (isPackagePrivate
                && !this.type.getPackageName().equals(method.getDeclaringClass().getPackageName())) {
            throw rejection(
                    method,
                    "the method is package-private in another package than the bean's class, so that a proxy cannot"
                            + " override it",
                    "Make the method protected or public.");
        }
        if (interfaces != null && !isOn(interfaces, method)) {
            throw rejection(
                    method,
                    "the proxy of the bean implements only its interfaces, and none of them declares this method",
                    "Declare the method in an interface of the bean, or use class-based proxies"
                            + " (spring.aop.proxy-target-class=true).");
        }
        Class<?> result = method.getReturnType();
        if (result.isPrimitive() && result != void.class) {
            throw rejection(
                    method,
                    "a skipped call has no result of type " + result.getName(),
                    "Return a type that can be null or empty, such as Optional, or call LeaderElection.isLeader in the"
                            + " method.");
        }
        if (KotlinDetector.isSuspendingFunction(method)
                || (kind(method) == Kind.DIRECT && DeferredTypes.isPending(result))) {
            throw rejection(
                    method,
                    "its work does not end when the method returns, and nothing reports its end",
                    "Return the result itself, a CompletableFuture, a Mono or a Flux, or call LeaderElection.isLeader in"
                            + " the method.");
        }
        Guarded guarded = this.methods.get(method);
        if (guarded != null && guarded.onLost() == OnLost.INTERRUPT && guarded.kind() != Kind.DIRECT) {
            throw rejection(
                    method,
                    "onLost = INTERRUPT, but the work of the method has no thread of its own to interrupt",
                    "Set onLost = THROW, or observe LeaseContext.required().lost() in the method.");
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Bean.class)) {
            throw rejection(
                    method,
                    "a @Bean method runs once, and the bean would not be restricted",
                    "Annotate the class of the bean, or its methods.");
        }
        if (isCallback(method)) {
            throw callback(method);
        }
    }

    /**
     * Checks for methods that the bean definition names as callbacks.
     *
     * @param callbacks the names
     */
    void checkCallbacks(Set<String> callbacks) {
        for (Method method : this.methods.keySet()) {
            if (method.getParameterCount() == 0 && callbacks.contains(method.getName())) {
                throw callback(method);
            }
        }
    }

    private InvalidLockDefinitionException callback(Method method) {
        return rejection(
                method,
                "Spring calls this method on the bean itself, before the role can be granted",
                "Move the work to a listener of LeadershipGrantedEvent, or to a class that implements SmartLifecycle.");
    }

    private void checkClass() {
        if (Modifier.isFinal(this.type.getModifiers()) || this.type.isSealed()) {
            throw LeaderElections.invalid(
                    "@LeaderOnly on " + this.type.getName()
                            + " cannot take effect, because the class is final or sealed,"
                            + " so that no proxy can extend it.",
                    "Remove final (in Kotlin: add open, or the compiler plugin kotlin-spring), or listen to"
                            + " LeadershipGrantedEvent and LeadershipRevokedEvent.");
        }
        if (this.role != null) {
            // A final method runs on the proxy itself, whose fields are empty: isRunning() would always be false.
            for (Method declared : SmartLifecycle.class.getMethods()) {
                Method method = AopUtils.getMostSpecificMethod(declared, this.type);
                if (Modifier.isFinal(method.getModifiers())) {
                    throw rejection(
                            method,
                            "a proxy cannot intercept a final method of a lifecycle",
                            "Remove final (in Kotlin: add open), or annotate a class that implements SmartLifecycle"
                                    + " and delegates to an object of this class, which is no bean.");
                }
            }
        }
    }

    private static boolean isOn(List<Class<?>> interfaces, Method method) {
        return interfaces.stream()
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .anyMatch(declared -> declared.getName().equals(method.getName())
                        && Arrays.equals(declared.getParameterTypes(), method.getParameterTypes()));
    }

    private boolean isCallback(Method method) {
        MergedAnnotations annotations = MergedAnnotations.from(method);
        List<String> declared = new ArrayList<>();
        if (InitializingBean.class.isAssignableFrom(this.type)) {
            declared.add("afterPropertiesSet");
        }
        if (DisposableBean.class.isAssignableFrom(this.type)) {
            declared.add("destroy");
        }
        return CALLBACKS.stream().anyMatch(annotations::isPresent)
                || (declared.contains(method.getName()) && method.getParameterCount() == 0);
    }

    private InvalidLockDefinitionException rejection(Method method, String problem, String remedy) {
        return LeaderElections.invalid(
                "@LeaderOnly on " + this.type.getName() + '.' + method.getName() + " cannot take effect: " + problem
                        + '.',
                remedy);
    }
}
