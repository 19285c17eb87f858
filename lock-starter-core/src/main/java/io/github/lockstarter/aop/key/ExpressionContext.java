package io.github.lockstarter.aop.key;

import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;

/**
 * Creates the evaluation context of each call: the parameters as variables, {@link Root} as {@code #root}, and the
 * beans of the application.
 */
public final class ExpressionContext {

    /** Shared by all calls, because its accessors cache what they have found by reflection. */
    private final StandardEvaluationContext shared = new StandardEvaluationContext();

    private final TypeConverter conditionConverter = new StandardTypeConverter();

    /**
     * Creates the context.
     *
     * @param beanFactory supplies the beans to which expressions refer with {@code @name}; null if there are none
     */
    public ExpressionContext(Supplier<? extends @Nullable BeanFactory> beanFactory) {
        this.shared.setTypeConverter(new KeyConverter());
        this.shared.setBeanResolver((context, name) -> {
            BeanFactory beans = beanFactory.get();
            if (beans == null) {
                throw new AccessException("No bean factory is available");
            }
            return new BeanFactoryResolver(beans).resolve(context, name);
        });
    }

    /** Returns the context of a key, in which values become text only if that text is stable. */
    EvaluationContext forKey(SpelAttribute key, @Nullable Object target, @Nullable Object[] args) {
        return forCall(key, target, args);
    }

    /** Returns the context of a condition, in which values may have any text because none of it names a lock. */
    EvaluationContext forCondition(SpelAttribute condition, @Nullable Object target, @Nullable Object[] args) {
        StandardEvaluationContext context = forCall(condition, target, args);
        context.setTypeConverter(this.conditionConverter);
        return context;
    }

    private StandardEvaluationContext forCall(
            SpelAttribute attribute, @Nullable Object target, @Nullable Object[] args) {
        Method method = attribute.site().method();
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(new Root(method, target), method, args, attribute.variables());
        this.shared.applyDelegatesTo(context);
        return context;
    }

    /**
     * The object {@code #root}. It does not override {@code toString()}, so that it cannot become a key by accident.
     */
    public static final class Root {

        private final Method method;

        private final @Nullable Object target;

        Root(Method method, @Nullable Object target) {
            this.method = method;
            this.target = target;
        }

        /** Returns the annotated method. */
        public Method getMethod() {
            return this.method;
        }

        /** Returns the bean on which the method is called; null for a static method. */
        public @Nullable Object getTarget() {
            return this.target;
        }
    }

    /**
     * Makes {@code 'order:' + #order} as strict as {@code #order}: the operands of {@code +} need a stable text, too.
     */
    private static final class KeyConverter implements TypeConverter {

        private final TypeConverter delegate = new StandardTypeConverter();

        @Override
        public boolean canConvert(@Nullable TypeDescriptor sourceType, TypeDescriptor targetType) {
            return targetType.getType() == String.class || this.delegate.canConvert(sourceType, targetType);
        }

        @Override
        public @Nullable Object convertValue(
                @Nullable Object value, @Nullable TypeDescriptor sourceType, TypeDescriptor targetType) {
            return value != null && targetType.getType() == String.class
                    ? KeyText.ofPart(value)
                    : this.delegate.convertValue(value, sourceType, targetType);
        }
    }
}
