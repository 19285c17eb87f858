package io.github.lockstarter.leader;

import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.context.SmartLifecycle;

/**
 * Registers the guarded methods for reflection: a native image would not find their annotations, and run them. The
 * methods of a lifecycle are found by those of its interface.
 */
final class LeaderHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Set<Method> methods = LeaderMethod.of(bean.getBeanClass()).keySet();
        return methods.isEmpty()
                ? null
                : (generation, code) -> register(generation.getRuntimeHints().reflection(), methods);
    }

    private static void register(ReflectionHints hints, Set<Method> methods) {
        methods.forEach(method -> hints.registerMethod(method, ExecutableMode.INVOKE));
        hints.registerType(SmartLifecycle.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
