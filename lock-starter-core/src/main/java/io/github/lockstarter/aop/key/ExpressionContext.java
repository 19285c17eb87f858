package io.github.lockstarter.aop.key;

import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;

/** What all keys and conditions see alike: the beans, and how properties are read. */
public final class ExpressionContext {

    /** Shared, for its accessors remember what they have looked up by reflection. */
    private final StandardEvaluationContext shared = new StandardEvaluationContext();

    private final TypeConverter anyText = new StandardTypeConverter();

    public ExpressionContext(Supplier<? extends @Nullable BeanFactory> beanFactory) {
        this.shared.setTypeConverter(new KeyConverter());
        this.shared.setBeanResolver((context, name) -> {
            BeanFactory beans = beanFactory.get();
            if (beans == null) {
                throw new AccessException("There are no beans here");
            }
            return new BeanFactoryResolver(beans).resolve(context, name);
        });
    }

    public EvaluationContext forKey(SpelAttribute key, @Nullable Object target, @Nullable Object[] args) {
        return forCall(key, target, args);
    }

    /** A condition names no lock, so that values in it may have any text. */
    public EvaluationContext forCondition(SpelAttribute condition, @Nullable Object target, @Nullable Object[] args) {
        StandardEvaluationContext context = forCall(condition, target, args);
        context.setTypeConverter(this.anyText);
        return context;
    }

    private StandardEvaluationContext forCall(
            SpelAttribute attribute, @Nullable Object target, @Nullable Object[] args) {
        Method method = attribute.site().method();
        KeyRoot root = new KeyRoot(method, target);
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(root, method, args, attribute.variables());
        this.shared.applyDelegatesTo(context);
        return context;
    }
}
