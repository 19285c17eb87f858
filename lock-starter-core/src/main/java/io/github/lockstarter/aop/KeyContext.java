package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/** What all keys see alike: the beans, and how properties are read. */
final class KeyContext {

    /** Shared, for its accessors remember what they have looked up by reflection. */
    private final StandardEvaluationContext shared = new StandardEvaluationContext();

    KeyContext(Supplier<? extends @Nullable BeanFactory> beanFactory) {
        this.shared.setTypeConverter(new KeyConverter());
        this.shared.setBeanResolver((context, name) -> {
            BeanFactory beans = beanFactory.get();
            if (beans == null) {
                throw new AccessException("There are no beans here");
            }
            return new BeanFactoryResolver(beans).resolve(context, name);
        });
    }

    EvaluationContext forCall(Method method, KeyVariables variables, @Nullable Object target, @Nullable Object[] args) {
        KeyRoot root = new KeyRoot(method, target);
        MethodBasedEvaluationContext context = new MethodBasedEvaluationContext(root, method, args, variables);
        this.shared.applyDelegatesTo(context);
        return context;
    }
}
