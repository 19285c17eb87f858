package io.github.lockstarter.aop;

import io.github.lockstarter.key.CallRoot;
import io.github.lockstarter.named.SettingsByName;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.KotlinDetector;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ReflectionUtils;

/**
 * Registers the reflection hints that a native image needs for locked methods: the methods, their fallbacks, and the
 * types of their parameters. Keys and conditions read these types with their nested properties, and the fields of
 * records are checked for parts without a stable text. Hints for anything else that expressions call, such as methods
 * of other beans, are left to the application.
 */
final class LockedBeanHints implements BeanRegistrationAotProcessor {

    /** The source has no bean factory, because placeholders and beans cannot be resolved at build time. */
    private final LockedMethodSource methods = new LockedMethodSource(() -> null, SettingsByName.NONE);

    private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        List<LockedMethod> locked = this.methods.methodsOf(bean.getBeanClass());
        return locked.isEmpty()
                ? null
                : (generation, code) -> locked.forEach(
                        method -> register(generation.getRuntimeHints().reflection(), method));
    }

    private void register(ReflectionHints hints, LockedMethod locked) {
        Method method = locked.site.method();
        hints.registerMethod(method, ExecutableMode.INVOKE);
        locked.annotations().forEach(annotation -> {
            if (isEvaluated(annotation, "key") || isEvaluated(annotation, "condition")) {
                registerForExpressions(hints, method);
            }
            methodsNamed(annotation.getString("fallback"), locked.site.beanClass())
                    .forEach(fallback -> hints.registerMethod(fallback, ExecutableMode.INVOKE));
        });
    }

    private static boolean isEvaluated(MergedAnnotation<?> annotation, String attribute) {
        return !annotation.getString(attribute).isEmpty();
    }

    private void registerForExpressions(ReflectionHints hints, Method method) {
        // The last parameter of a suspend function is not declared by its author.
        int count = method.getParameterCount() - (KotlinDetector.isSuspendingFunction(method) ? 1 : 0);
        for (int i = 0; i < count; i++) {
            this.properties.registerReflectionHints(hints, method.getGenericParameterTypes()[i]);
            hints.registerType(method.getParameterTypes()[i], MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        hints.registerType(CallRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.registerType(Method.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }

    private static Stream<Method> methodsNamed(String name, Class<?> beanClass) {
        return name.isEmpty()
                ? Stream.empty()
                : Stream.of(ReflectionUtils.getAllDeclaredMethods(beanClass))
                        .filter(candidate -> candidate.getName().equals(name));
    }
}
