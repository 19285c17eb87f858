package io.github.lockstarter.key;

import io.github.lockstarter.InvalidLockDefinitionException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * The annotated method to which an expression belongs: its parameters are the variables of the expression, and its
 * {@code toString()} names it in messages.
 */
public interface ExpressionSite {

    /** Returns the class of the bean, which resolves the type variables of parameters. */
    Class<?> beanClass();

    /** Returns the method that is called. */
    Method method();

    /**
     * Creates the exception that rejects the annotation at start-up.
     *
     * @param problem what is wrong, without a period
     * @param remedy what to change, in whole sentences
     * @param cause the exception that revealed the problem, or {@code null} if there is none
     */
    InvalidLockDefinitionException rejection(String problem, String remedy, @Nullable Throwable cause);
}
