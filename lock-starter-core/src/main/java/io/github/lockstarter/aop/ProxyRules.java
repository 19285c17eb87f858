package io.github.lockstarter.aop;

import io.github.lockstarter.aop.metadata.LockAnnotations;
import io.github.lockstarter.aop.metadata.LockSite;
import io.github.lockstarter.aop.metadata.LockedMethod;
import io.github.lockstarter.aop.metadata.LockedType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.springframework.aop.framework.ProxyFactory;

/**
 * Refuses annotations that a proxy could not honour. Without it such a method would run without its lock, and nobody
 * would hear of it.
 *
 * @param type what is asked for
 * @param jdkProxy whether only the methods of interfaces can be called through the proxy
 * @param interfaces those interfaces
 */
record ProxyRules(LockedType type, boolean jdkProxy, List<Class<?>> interfaces) {

    private static final String CALL_REGISTRY = "or call LockRegistry.execute inside of it";

    private static final String OR_WEAVE = ", or have the lock woven into it (distributed-lock.mode=aspectj)";

    /** For a proxy that is about to be made. */
    static ProxyRules of(LockedType type, ProxyFactory factory) {
        Class<?> beanClass = type.beanClass();
        // Spring cannot subclass these, whatever it was asked for.
        if (beanClass.isInterface()) {
            return new ProxyRules(type, true, List.of(beanClass));
        }
        if (LockSite.isGenerated(beanClass)) {
            return new ProxyRules(type, true, List.of(beanClass.getInterfaces()));
        }
        boolean classProxy = factory.isProxyTargetClass() || factory.isOptimize();
        Class<?>[] interfaces = factory.getProxiedInterfaces();
        return new ProxyRules(type, !classProxy && interfaces.length > 0, List.of(interfaces));
    }

    /** Checks them all, and returns those that can be called through the proxy. */
    List<LockedMethod> check() {
        List<LockedMethod> callable =
                this.type.methods().stream().filter(this::isCallable).toList();
        if (!this.jdkProxy && !callable.isEmpty()) {
            checkClass(callable.get(0).site());
        }
        return callable;
    }

    private boolean isCallable(LockedMethod locked) {
        LockSite site = locked.site();
        Method method = site.method();
        ContainerCalls.refuse(locked);
        checkModifiers(site);
        if (this.jdkProxy && !isOnInterface(method)) {
            if (locked.isClassLevel()) {
                // The class was annotated for what others can call.
                return false;
            }
            throw site.refused(
                    "the bean gets a proxy of its interfaces, and none of them has this method"
                            + (Modifier.isPublic(method.getModifiers()) ? "" : ", which is not public"),
                    "Declare it on an interface of the bean, or have classes proxied"
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
            throw site.refused(
                    "no lock can be put around a " + (Modifier.isPrivate(modifiers) ? "private" : "static") + " method",
                    "Annotate a method that other beans call, " + CALL_REGISTRY + OR_WEAVE + ".");
        }
    }

    private void checkInterface(LockedMethod locked) {
        LockSite site = locked.site();
        if (locked.isClassLevel() && !site.method().getDeclaringClass().isAssignableFrom(this.type.beanClass())) {
            throw site.refused(
                    "the annotation stands on an interface that the target of its proxy does not implement",
                    "Put it on the methods of " + site.beanClass().getName() + " that need a lock.");
        }
    }

    private void checkOverridable(LockedMethod locked) {
        Method method = locked.site().method();
        if (Modifier.isFinal(method.getModifiers())) {
            throw locked.site()
                    .refused(
                            "no lock can be put around a final method",
                            "Remove final (in Kotlin: open, or the kotlin-spring plugin), " + CALL_REGISTRY + OR_WEAVE
                                    + locked.otherwise());
        }
        boolean packagePrivate = (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) == 0;
        if (packagePrivate && !isInPackageOf(this.type.beanClass(), method.getDeclaringClass())) {
            throw locked.site()
                    .refused(
                            "the method is package-private in another package than the bean's class, where no proxy"
                                    + " can override it",
                            "Make it protected or public.");
        }
    }

    private void checkClass(LockSite site) {
        Class<?> beanClass = this.type.beanClass();
        if (Modifier.isFinal(beanClass.getModifiers()) || beanClass.isSealed()) {
            String what = beanClass.isSealed() ? "sealed" : "final";
            throw site.refused(
                    beanClass.getName() + " is " + what + ", and a proxy of it would have to be its subclass",
                    "Remove " + what + " (in Kotlin: open, or the kotlin-spring plugin), or let the class implement an"
                            + " interface with this method and have interfaces proxied"
                            + " (spring.aop.proxy-target-class=false).");
        }
    }

    private boolean isOnInterface(Method method) {
        Class<?> beanClass = this.type.beanClass();
        return this.interfaces.stream()
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .filter(declared -> declared.getName().equals(method.getName()))
                .anyMatch(declared ->
                        LockAnnotations.mostSpecific(declared, beanClass).equals(method));
    }

    private static boolean isInPackageOf(Class<?> beanClass, Class<?> declaring) {
        return beanClass.getPackageName().equals(declaring.getPackageName())
                && Objects.equals(beanClass.getClassLoader(), declaring.getClassLoader());
    }
}
