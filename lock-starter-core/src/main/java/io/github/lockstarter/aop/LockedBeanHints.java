package io.github.lockstarter.aop;

import io.github.lockstarter.aop.key.ExpressionContext;
import io.github.lockstarter.aop.key.KeyRoot;
import io.github.lockstarter.aop.metadata.LockSpecReader;
import io.github.lockstarter.aop.metadata.LockedMethod;
import io.github.lockstarter.aop.metadata.LockedMethods;
import io.github.lockstarter.aop.metadata.LockedType;
import io.github.lockstarter.aop.metadata.LockedTypes;
import io.github.lockstarter.aop.metadata.Placeholders;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ReflectionUtils;

/**
 * What a native image must keep for locked methods: the methods themselves, those that stand in for them, and the types
 * of their parameters, with all properties of properties, for keys and conditions read them by reflection, and with the
 * fields of records, which are checked for parts without a stable text. What else these expressions call, such as methods
 * of other beans, is up to the application.
 */
final class LockedBeanHints implements BeanRegistrationAotProcessor {

    /** Nothing here asks for beans or placeholders: at build time there are none. */
    private final LockedTypes types = new LockedTypes(
            new LockedMethods(new LockSpecReader(new Placeholders(() -> null), new ExpressionContext(() -> null))));

    private final BindingReflectionHintsRegistrar properties = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        LockedType type = this.types.of(bean.getBeanClass());
        return type.isLocked()
                ? (generation, code) -> type.methods()
                        .forEach(locked -> register(generation.getRuntimeHints().reflection(), locked))
                : null;
    }

    private void register(ReflectionHints hints, LockedMethod locked) {
        Method method = locked.site().method();
        hints.registerMethod(method, ExecutableMode.INVOKE);
        locked.annotations().forEach(annotation -> {
            if (isEvaluated(annotation, "key") || isEvaluated(annotation, "condition")) {
                registerForExpressions(hints, method);
            }
            methodsNamed(annotation.getString("fallback"), locked.site().beanClass())
                    .forEach(fallback -> hints.registerMethod(fallback, ExecutableMode.INVOKE));
        });
    }

    private static boolean isEvaluated(MergedAnnotation<?> annotation, String attribute) {
        return !annotation.getString(attribute).isEmpty();
    }

    private void registerForExpressions(ReflectionHints hints, Method method) {
        for (Type parameter : method.getGenericParameterTypes()) {
            this.properties.registerReflectionHints(hints, parameter);
        }
        for (Class<?> parameter : method.getParameterTypes()) {
            hints.registerType(parameter, MemberCategory.INVOKE_PUBLIC_METHODS);
        }
        hints.registerType(KeyRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.registerType(Method.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }

    private static Stream<Method> methodsNamed(String name, Class<?> beanClass) {
        return name.isEmpty()
                ? Stream.empty()
                : Stream.of(ReflectionUtils.getAllDeclaredMethods(beanClass))
                        .filter(candidate -> candidate.getName().equals(name));
    }
}
