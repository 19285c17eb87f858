package io.github.lockstarter.key;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;

/**
 * The key and condition expressions of one application. They are parsed and checked once; for each call they have the
 * parameters as variables, a {@link CallRoot}, and the beans of the application. Thread-safe.
 */
public final class Expressions {

    /** Shared by all calls, because its accessors cache what they have found by reflection. */
    private final StandardEvaluationContext keys = new StandardEvaluationContext();

    /** Values may have any text in conditions, because none of it names a lock. */
    private final StandardEvaluationContext conditions = new StandardEvaluationContext();

    private final Supplier<? extends @Nullable BeanFactory> beanFactory;

    /**
     * Creates the expressions.
     *
     * @param beanFactory supplies the beans to which expressions refer with {@code @name}, or {@code null} if there are
     *     none
     */
    public Expressions(Supplier<? extends @Nullable BeanFactory> beanFactory) {
        this.beanFactory = beanFactory;
        this.keys.setTypeConverter(new KeyConverter());
        this.keys.addMethodResolver(new PrintingMethods());
        for (StandardEvaluationContext context : List.of(this.keys, this.conditions)) {
            context.setBeanResolver((unused, name) -> {
                BeanFactory beans = beanFactory.get();
                if (beans == null) {
                    throw new AccessException("No bean factory is available");
                }
                return new BeanFactoryResolver(beans).resolve(unused, name);
            });
        }
    }

    /**
     * Parses a key.
     *
     * @param annotated the element that carries the annotation; if it is an overridden method, the expression uses its
     *     parameter names
     * @throws io.github.lockstarter.InvalidLockDefinitionException if it is not usable
     */
    public CallExpression key(ExpressionSite site, String text, @Nullable Object annotated) {
        ExpressionSyntax syntax = new ExpressionSyntax(site, "key", text, annotated);
        SpelExpression expression = syntax.parse();
        String doubt = syntax.checkKey(expression.getAST(), this.beanFactory.get());
        return new CallExpression(site, expression, syntax.used(), this.keys, doubt);
    }

    /** Parses a condition; see {@link #key}. */
    public CallExpression condition(ExpressionSite site, String text, @Nullable Object annotated) {
        ExpressionSyntax syntax = new ExpressionSyntax(site, "condition", text, annotated);
        return new CallExpression(site, syntax.parse(), syntax.used(), this.conditions, null);
    }

    /**
     * Returns whether the text of an attribute that is not evaluated contains <code>#{…}</code> or a variable of the
     * method.
     */
    public static boolean isIn(ExpressionSite site, String attribute, String text, @Nullable Object annotated) {
        return new ExpressionSyntax(site, attribute, text, annotated).isExpression();
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
                    ? StableText.of(value)
                    : this.delegate.convertValue(value, sourceType, targetType);
        }
    }

    /**
     * Checks the values that {@code toString()} and {@code String.formatted} print: in their result, a date or the
     * order of a set can no longer be recognized.
     */
    private static final class PrintingMethods extends ReflectiveMethodResolver {

        @Override
        public @Nullable MethodExecutor resolve(
                EvaluationContext context, Object target, String name, List<TypeDescriptor> types)
                throws AccessException {
            if (name.equals("toString") && types.isEmpty()) {
                return (unused, value, arguments) -> new TypedValue(StableText.ofPrinted(value));
            }
            MethodExecutor formatted = name.equals("formatted") ? super.resolve(context, target, name, types) : null;
            return formatted == null
                    ? null
                    : (call, value, arguments) -> {
                        for (Object argument : arguments) {
                            if (argument == null) {
                                throw CallExpression.joinsNull("an argument of formatted");
                            }
                            String unused = StableText.ofPrinted(argument);
                        }
                        return formatted.execute(call, value, arguments);
                    };
        }
    }
}
