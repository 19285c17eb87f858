package io.github.lockstarter.leader;

import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.GuardedMethod;
import io.github.lockstarter.aop.LockSite;
import io.github.lockstarter.aop.ResultKind;
import io.github.lockstarter.text.LockLog;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * A method with {@link LeaderOnly}, or a method of {@link SmartLifecycle} in a class with it. All of those need the
 * proxy, although most calls pass it: a final method would run on the proxy itself, whose fields are empty.
 */
final class LeaderMethod extends GuardedMethod {

    private static final LockLog logger = LockLog.of(LeaderMethod.class);

    /** The role as it is written. */
    final String role;

    final OnLost onLost;

    private LeaderMethod(Class<?> type, Method method, MergedAnnotation<LeaderOnly> annotation, boolean isLifecycle) {
        super(new LockSite(type, method, LeaderOnly.class, annotation.getRoot().getType()), isLifecycle);
        this.role = annotation.getString("value");
        this.onLost = annotation.getEnum("onLost", OnLost.class);
    }

    /** Returns the methods of a class that a proxy must guard. */
    static Map<Method, LeaderMethod> of(Class<?> type) {
        if (!AnnotationUtils.isCandidateClass(type, LeaderOnly.class)) {
            return Map.of();
        }
        Map<Method, LeaderMethod> methods = new LinkedHashMap<>();
        MergedAnnotation<LeaderOnly> own = annotation(MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY));
        if (own.isPresent()) {
            if (!SmartLifecycle.class.isAssignableFrom(type)) {
                throw LeaderElections.invalid(
                        "@LeaderOnly on " + type.getName() + " has no effect, because the class does not implement"
                                + " SmartLifecycle.",
                        "Annotate the methods that only the leader may run, or implement SmartLifecycle to start and"
                                + " stop with the role.");
            }
            for (Method declared : SmartLifecycle.class.getMethods()) {
                Method method = AopUtils.getMostSpecificMethod(declared, type);
                methods.put(method, new LeaderMethod(type, method, own, true));
            }
        }
        try {
            methods.putAll(MethodIntrospector.selectMethods(type, (Method method) -> of(type, method)));
        } catch (IllegalStateException | LinkageError ex) {
            Stream.concat(
                            Stream.<Class<?>>iterate(type, Objects::nonNull, Class::getSuperclass),
                            ClassUtils.getAllInterfacesForClassAsSet(type).stream())
                    .forEach(each -> rejectIfAnnotated(each, ex, List.of(LeaderOnly.class)));
            logger.debug("Methods of " + type.getName() + " cannot be inspected, and have no @LeaderOnly", ex);
        }
        return methods;
    }

    private static @Nullable LeaderMethod of(Class<?> type, Method method) {
        MergedAnnotation<LeaderOnly> found = annotation(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY));
        return found.isPresent() ? new LeaderMethod(type, method, found, false) : null;
    }

    private static MergedAnnotation<LeaderOnly> annotation(MergedAnnotations annotations) {
        return annotations.get(LeaderOnly.class);
    }

    @Override
    protected void checkResult() {
        if (this.classLevel) {
            return;
        }
        Class<?> result = this.site.returnType();
        if (result.isPrimitive() && result != void.class) {
            throw this.site.rejection(
                    "a skipped call has no result of type " + result.getName(),
                    "Return a type that can be null or empty, such as Optional, or " + alternative() + ".");
        }
        if (this.resultKind == ResultKind.UNKNOWN || this.site.isSuspending() || this.site.returnsFlow()) {
            throw this.site.rejection(
                    "its work does not end when the method returns, and nothing reports its end",
                    "Return the result itself, a CompletableFuture, a Mono or a Flux, or " + alternative() + ".");
        }
        if (this.onLost == OnLost.INTERRUPT && this.resultKind != ResultKind.DIRECT) {
            throw this.site.rejection(
                    "onLost = INTERRUPT, but the work of the method has no thread of its own to interrupt",
                    "Set onLost = THROW, or observe LeaseContext.required().lost() in the method.");
        }
    }

    @Override
    protected String alternative() {
        return "call LeaderElection.isLeader in the method";
    }

    @Override
    protected String placeOfCallbacks() {
        return "a listener of LeadershipGrantedEvent, or to a class that implements SmartLifecycle";
    }
}
