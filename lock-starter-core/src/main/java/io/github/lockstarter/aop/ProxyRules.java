package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.util.ClassUtils;

/**
 * Rejects annotations on methods that a proxy cannot intercept: they would run unguarded.
 *
 * @param beanClass the class of the bean, without generated subclasses
 * @param methods its annotated methods
 * @param jdkProxy whether only methods of interfaces can be called through the proxy
 * @param interfaces the interfaces of the proxy
 */
record ProxyRules<M extends GuardedMethod>(
        Class<?> beanClass, List<M> methods, boolean jdkProxy, List<Class<?>> interfaces) {

    /** Returns the rules for a proxy that is about to be created. */
    static <M extends GuardedMethod> ProxyRules<M> of(Class<?> beanClass, List<M> methods, ProxyFactory factory) {
        // Spring cannot subclass these, regardless of its configuration.
        if (beanClass.isInterface() || LockSite.isGenerated(beanClass)) {
            return new ProxyRules<>(beanClass, methods, true, List.of(ClassUtils.getAllInterfacesForClass(beanClass)));
        }
        boolean classProxy = factory.isProxyTargetClass() || factory.isOptimize();
        Class<?>[] interfaces = factory.getProxiedInterfaces();
        return new ProxyRules<>(beanClass, methods, !classProxy && interfaces.length > 0, List.of(interfaces));
    }

    /** Checks all methods, and returns the methods that can be called through the proxy. */
    List<M> check() {
        List<M> callable = this.methods.stream().filter(this::isCallable).toList();
        if (!this.jdkProxy && !callable.isEmpty()) {
            checkClass(callable.get(0).site);
        }
        return callable;
    }

    private boolean isCallable(GuardedMethod guarded) {
        LockSite site = guarded.site;
        Method method = site.method();
        guarded.checkCallback();
        checkModifiers(guarded);
        if (this.jdkProxy && !isOnInterface(method)) {
            if (guarded.classLevel) {
                // A class annotation applies to what others can call.
                return false;
            }
            throw site.rejection(
                    "the proxy of the bean implements only its interfaces, and none of them declares this method"
                            + (Modifier.isPublic(method.getModifiers()) ? "" : ", which is not public"),
                    "Declare the method in an interface of the bean, or use class-based proxies"
                            + " (spring.aop.proxy-target-class=true).");
        }
        checkInterface(guarded);
        guarded.checkResult();
        if (!this.jdkProxy) {
            checkOverridable(guarded);
        }
        return true;
    }

    private void checkModifiers(GuardedMethod guarded) {
        int modifiers = guarded.site.method().getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
            throw guarded.site.rejection(
                    "a proxy cannot intercept a " + (Modifier.isPrivate(modifiers) ? "private" : "static") + " method",
                    "Annotate a method that other beans call, or " + guarded.alternative() + ".");
        }
    }

    private void checkInterface(GuardedMethod guarded) {
        LockSite site = guarded.site;
        if (guarded.classLevel && !site.method().getDeclaringClass().isAssignableFrom(this.beanClass)) {
            throw site.rejection(
                    "the annotated interface is not implemented by the target of the proxy",
                    "Annotate the methods of " + site.beanClass().getName() + " that need it.");
        }
    }

    private void checkOverridable(GuardedMethod guarded) {
        Method method = guarded.site.method();
        if (Modifier.isFinal(method.getModifiers())) {
            throw guarded.site.rejection(
                    "a proxy cannot intercept a final method",
                    "Remove final (in Kotlin: add open, or the compiler plugin kotlin-spring or all-open), or "
                            + guarded.alternative() + guarded.otherwise());
        }
        boolean packagePrivate = (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0;
        if (packagePrivate && !isInPackageOf(this.beanClass, method.getDeclaringClass())) {
            throw guarded.site.rejection(
                    "the method is package-private in another package than the bean's class, so that a proxy"
                            + " cannot override it",
                    "Make the method protected or public.");
        }
    }

    private void checkClass(LockSite site) {
        if (Modifier.isFinal(this.beanClass.getModifiers()) || this.beanClass.isSealed()) {
            String modifier = this.beanClass.isSealed() ? "sealed" : "final";
            throw site.rejection(
                    this.beanClass.getName() + " is " + modifier + ", so that no proxy can extend it",
                    "Remove " + modifier
                            + " (in Kotlin: add open, or the compiler plugin kotlin-spring or all-open), or implement"
                            + " an interface with this method and use interface-based proxies"
                            + " (spring.aop.proxy-target-class=false).");
        }
    }

    private boolean isOnInterface(Method method) {
        return this.interfaces.stream()
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .filter(declared -> declared.getName().equals(method.getName()))
                .anyMatch(declared ->
                        LockAnnotations.mostSpecific(declared, this.beanClass).equals(method));
    }

    private static boolean isInPackageOf(Class<?> beanClass, Class<?> declaring) {
        return beanClass.getPackageName().equals(declaring.getPackageName())
                && Objects.equals(beanClass.getClassLoader(), declaring.getClassLoader());
    }
}
