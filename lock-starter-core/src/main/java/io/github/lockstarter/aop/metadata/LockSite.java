package io.github.lockstarter.aop.metadata;

import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.aop.key.ExpressionSite;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.GenericTypeResolver;
import org.springframework.util.ClassUtils;

/**
 * Where an annotation applies; what messages call it.
 *
 * @param beanClass class of the bean as its author wrote it
 * @param method the most specific method of that class
 */
public record LockSite(Class<?> beanClass, Method method) implements ExpressionSite {

    public InvalidLockDefinitionException refused(String problem, String remedy) {
        return refused(problem, remedy, null);
    }

    @Override
    public InvalidLockDefinitionException refused(String problem, String remedy, @Nullable Throwable cause) {
        return new InvalidLockDefinitionException("@DistributedLock on " + this + ": " + problem + ".", remedy, cause);
    }

    /** What the method returns, with the type variables of its class filled in. */
    public Class<?> returnType() {
        return GenericTypeResolver.resolveReturnType(this.method, this.beanClass);
    }

    /** {@code SimpleClassName.methodName}: the same in every JVM. {@link DerivedNames} keeps it to one method. */
    public String defaultLockName() {
        Class<?> owner = nameOwner();
        String simpleName = owner.getSimpleName();
        return (simpleName.isEmpty() ? withoutPackage(owner) : simpleName) + '.' + this.method.getName();
    }

    private Class<?> nameOwner() {
        Class<?> declaring = this.method.getDeclaringClass();
        // A generated class has another name in every JVM; a target that does not know the method serves many beans.
        boolean named = !isGenerated(this.beanClass) && declaring.isAssignableFrom(this.beanClass);
        return named ? this.beanClass : declaring;
    }

    /**
     * Whether both are one method of one class, by their names as other JVMs see them: of two beans, of two class
     * loaders, or a bridge that the compiler has written. Two lambdas are never one method.
     */
    public boolean isSameMethodAs(LockSite other) {
        return !(isLambda() && other.isLambda() && this.beanClass != other.beanClass)
                && nameOwner().getName().equals(other.nameOwner().getName())
                && this.method.getName().equals(other.method.getName())
                && parameters().equals(other.parameters());
    }

    public boolean isLambda() {
        return ClassUtils.isLambdaClass(this.beanClass);
    }

    private List<String> parameters() {
        Method written = BridgeMethodResolver.findBridgedMethod(this.method);
        return Arrays.stream(written.getParameterTypes()).map(Class::getName).toList();
    }

    /** For lists, where parameters would be noise. */
    public String shortText() {
        return this.method.getDeclaringClass().getName() + '.' + this.method.getName();
    }

    @Override
    public String toString() {
        String parameters = Arrays.stream(this.method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
        String where = shortText() + parameters;
        boolean inherited = this.method.getDeclaringClass() != this.beanClass;
        return inherited ? where + " (of " + this.beanClass.getName() + ")" : where;
    }

    /** Whether the class was made at run time and so has no methods of its own that anybody wrote. */
    public static boolean isGenerated(Class<?> type) {
        return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
    }

    private static String withoutPackage(Class<?> type) {
        return type.getName().substring(type.getPackageName().length() + 1);
    }
}
