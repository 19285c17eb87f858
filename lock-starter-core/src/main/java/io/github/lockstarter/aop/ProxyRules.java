package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.springframework.aop.framework.ProxyFactory;

/**
 * Rejects annotations on methods that a proxy cannot intercept: they would run without their lock.
 *
 * @param beanClass the class of the bean, without generated subclasses
 * @param methods its locked methods
 * @param jdkProxy whether only methods of interfaces can be called through the proxy
 * @param interfaces the interfaces of the proxy
 */
record ProxyRules(Class<?> beanClass, List<LockedMethod> methods, boolean jdkProxy, List<Class<?>> interfaces) {

    private static final String CALL_REGISTRY = "or call LockRegistry.execute in the method";

    private static final String OR_WEAVE = ", or weave the lock into it (distributed-lock.mode=aspectj)";

    /** Returns the rules for a proxy that is about to be created. */
    static ProxyRules of(Class<?> beanClass, List<LockedMethod> methods, ProxyFactory factory) {
        // Spring cannot subclass these, regardless of its configuration.
        if (beanClass.isInterface()) {
            return new ProxyRules(beanClass, methods, true, List.of(beanClass));
        }
        if (LockSite.isGenerated(beanClass)) {
            return new ProxyRules(beanClass, methods, true, List.of(beanClass.getInterfaces()));
        }
        boolean classProxy = factory.isProxyTargetClass() || factory.isOptimize();
        Class<?>[] interfaces = factory.getProxiedInterfaces();
        return new ProxyRules(beanClass, methods, !classProxy && interfaces.length > 0, List.of(interfaces));
    }

    /** Checks all methods, and returns the methods that can be called through the proxy. */
    List<LockedMethod> check() {
        List<LockedMethod> callable =
                this.methods.stream().filter(this::isCallable).toList();
        if (!this.jdkProxy && !callable.isEmpty()) {
            checkClass(callable.get(0).site);
        }
        return callable;
    }

    private boolean isCallable(LockedMethod locked) {
        LockSite site = locked.site;
        Method method = site.method();
        BeanRules.checkCallback(locked);
        checkModifiers(site);
        if (this.jdkProxy && !isOnInterface(method)) {
            if (locked.classLevel) {
                // A class annotation applies to what others can call.
                return false;
            }
            throw site.rejection(
                    "the proxy of the bean implements only its interfaces, and none of them declares this method"
                            + (Modifier.isPublic(method.getModifiers()) ? "" : ", which is not public"),
                    "Declare the method in an interface of the bean, or use class-based proxies"
                            + " (spring.aop.proxy-target-class=true).");
        }
        checkInterface(locked);
        locked.checkResult();
        if (!this.jdkProxy) {
            checkOverridable(locked);
        }
        return true;
    }

    private void checkModifiers(LockSite site) {
        int modifiers = site.method().getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
            throw site.rejection(
                    "a proxy cannot intercept a " + (Modifier.isPrivate(modifiers) ? "private" : "static") + " method",
                    "Annotate a method that other beans call, " + CALL_REGISTRY + OR_WEAVE + ".");
        }
    }

    private void checkInterface(LockedMethod locked) {
        LockSite site = locked.site;
        if (locked.classLevel && !site.method().getDeclaringClass().isAssignableFrom(this.beanClass)) {
            throw site.rejection(
                    "the annotated interface is not implemented by the target of the proxy",
                    "Annotate the methods of " + site.beanClass().getName() + " that need a lock.");
        }
    }

    private void checkOverridable(LockedMethod locked) {
        Method method = locked.site.method();
        if (Modifier.isFinal(method.getModifiers())) {
            throw locked.site.rejection(
                    "a proxy cannot intercept a final method",
                    "Remove final (in Kotlin: add open, or the compiler plugin kotlin-spring or all-open), "
                            + CALL_REGISTRY + OR_WEAVE + locked.otherwise());
        }
        boolean packagePrivate = (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0;
        if (packagePrivate && !isInPackageOf(this.beanClass, method.getDeclaringClass())) {
            throw locked.site.rejection(
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
