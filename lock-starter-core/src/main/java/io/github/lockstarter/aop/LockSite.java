package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.key.ExpressionSite;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.util.ClassUtils;

/**
 * The method of a bean class to which an annotation applies. {@link #toString()} names it in messages.
 *
 * @param beanClass the class of the bean, without generated subclasses
 * @param method the most specific method of that class
 * @param annotation the type of the annotation
 * @param written the type of the annotation in the source, which may be composed of the other; for messages
 */
public record LockSite(
        Class<?> beanClass, Method method, Class<? extends Annotation> annotation, Class<? extends Annotation> written)
        implements ExpressionSite {

    /** The name of an attribute at the beginning of a problem. */
    private static final Pattern ATTRIBUTE = Pattern.compile("(?<=^|^in )\\w+(?= = )");

    /** Creates the site of a {@link DistributedLock}. */
    public LockSite(Class<?> beanClass, Method method) {
        this(beanClass, method, DistributedLock.class, DistributedLock.class);
    }

    /** Returns the site of an annotation of the method. */
    LockSite of(MergedAnnotation<?> found) {
        return new LockSite(
                this.beanClass, this.method, found.getType(), found.getRoot().getType());
    }

    /** Creates a rejection as {@link #rejection(String, String, Throwable)} does, without a cause. */
    public InvalidLockDefinitionException rejection(String problem, String remedy) {
        return rejection(problem, remedy, null);
    }

    @Override
    public InvalidLockDefinitionException rejection(String problem, String remedy, @Nullable Throwable cause) {
        String written = ATTRIBUTE.matcher(problem).replaceFirst(found -> attribute(found.group()));
        return new InvalidLockDefinitionException(
                annotationName() + " on " + this + ": " + written + ".", remedy, cause);
    }

    /** Returns the annotation as it is written, and the one that it is composed of. */
    String annotationName() {
        String name = '@' + this.written.getSimpleName();
        return this.written == this.annotation ? name : name + " (a @" + this.annotation.getSimpleName() + ')';
    }

    /** Returns the name of an attribute as it is written: a composed annotation may have another name for it. */
    private String attribute(String name) {
        for (Method each : this.written.getDeclaredMethods()) {
            AliasFor alias = AnnotationUtils.findAnnotation(each, AliasFor.class);
            if (alias != null
                    && alias.annotation() == this.annotation
                    && alias.attribute().equals(name)) {
                return each.getName();
            }
        }
        return name;
    }

    /**
     * Returns the return type of the method, with type variables resolved against the bean class. For a suspend
     * function, returns the declared type.
     */
    public Class<?> returnType() {
        return returnType(this.method);
    }

    /** Returns the return type of another method of the bean, as {@link #returnType()} does. */
    Class<?> returnType(Method other) {
        return KotlinFunctions.isSuspending(other)
                ? KotlinFunctions.returnType(other)
                : GenericTypeResolver.resolveReturnType(other, this.beanClass);
    }

    /** Returns the declared type of the result with its type arguments. */
    ResolvableType result() {
        return ResolvableType.forMethodParameter(
                new MethodParameter(this.method, -1).withContainingClass(this.beanClass));
    }

    /** Returns whether the method is a suspend function of Kotlin. */
    public boolean isSuspending() {
        return KotlinFunctions.isSuspending(this.method);
    }

    /** Returns whether the result is a Flow of Kotlin's coroutines. */
    public boolean returnsFlow() {
        return KotlinFunctions.isFlow(returnType());
    }

    /**
     * Returns {@code SimpleClassName.methodName}, which is the same in every JVM. {@link LockSpecReader} keeps it
     * unique.
     */
    String defaultLockName() {
        Class<?> owner = nameOwner();
        String simpleName = owner.getSimpleName();
        return (simpleName.isEmpty() ? withoutPackage(owner) : simpleName) + '.' + KotlinFunctions.name(this.method);
    }

    private Class<?> nameOwner() {
        Class<?> declaring = this.method.getDeclaringClass();
        // The name of a generated class differs between JVMs; a target that lacks the method may serve many beans.
        boolean named = !isGenerated(this.beanClass) && declaring.isAssignableFrom(this.beanClass);
        return named ? this.beanClass : declaring;
    }

    /**
     * Returns whether both are the same method of the same class, compared by name as other JVMs see them: for two
     * beans, two class loaders, or a bridge method. Two lambdas are never the same.
     */
    boolean isSameMethodAs(LockSite other) {
        return !(isLambda() && other.isLambda() && this.beanClass != other.beanClass)
                && nameOwner().getName().equals(other.nameOwner().getName())
                && this.method.getName().equals(other.method.getName())
                && parameters().equals(other.parameters());
    }

    boolean isLambda() {
        return ClassUtils.isLambdaClass(this.beanClass);
    }

    private List<String> parameters() {
        Method written = BridgeMethodResolver.findBridgedMethod(this.method);
        return Arrays.stream(written.getParameterTypes()).map(Class::getName).toList();
    }

    /** Returns class and method without parameters, for lists. */
    public String shortText() {
        return this.method.getDeclaringClass().getName() + '.' + KotlinFunctions.name(this.method);
    }

    @Override
    public String toString() {
        String parameters = Arrays.stream(KotlinFunctions.parameterTypes(this.method))
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
        String where = shortText() + parameters;
        boolean inherited = this.method.getDeclaringClass() != this.beanClass;
        return inherited ? where + " (of " + this.beanClass.getName() + ")" : where;
    }

    /** Returns whether the class is a JDK proxy or a lambda, and so has no methods of a source file. */
    public static boolean isGenerated(Class<?> type) {
        return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
    }

    private static String withoutPackage(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1);
    }
}
