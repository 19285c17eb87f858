package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockDefinitionException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.util.ClassUtils;

/**
 * Guards methods of beans with a proxy. If that is not possible, the application fails to start with {@link
 * InvalidLockDefinitionException}. Internal: not part of the API.
 *
 * <p>This is a bean post-processor and not an advisor bean, because advisor beans are silently ignored without an
 * auto-proxy creator. If a bean already has a proxy, the advice is added to it according to its order.
 *
 * @param <M> the kind of methods
 */
@SuppressWarnings("serial")
public abstract class GuardingBeanPostProcessor<M extends GuardedMethod>
        extends AbstractBeanFactoryAwareAdvisingPostProcessor implements SmartInitializingSingleton {

    /** Finds methods by their annotations. Thread-safe. */
    public interface Methods<M> {

        /** Returns the method behind a call, or {@code null} if it needs no guard. */
        @Nullable
        M find(Method called, @Nullable Class<?> targetClass);

        /** Returns the methods of a class, which may be generated, whether or not a proxy can guard them. */
        List<M> methodsOf(Class<?> targetClass);

        /** Returns the methods of the target of a proxy, and of other interfaces of the proxy. */
        List<M> methodsOf(@Nullable Class<?> targetClass, Class<?>[] proxiedInterfaces);
    }

    /** Has the order among the advisors of a proxy. The subclass sets its advice. */
    protected final DefaultPointcutAdvisor guard = new DefaultPointcutAdvisor();

    private final Set<String> processed = ConcurrentHashMap.newKeySet();

    /** The field of the superclass is private in Spring Framework 6. */
    @SuppressWarnings("NullAway.Init")
    protected ConfigurableListableBeanFactory beans;

    protected GuardingBeanPostProcessor() {
        this.guard.setPointcut(new StaticMethodMatcherPointcut() {
            // Searches for annotations but does not read them: at build time (AOT), placeholders have no values.
            @Override
            public boolean matches(Method method, Class<?> targetClass) {
                return methods().find(method, targetClass) != null;
            }
        });
        this.advisor = this.guard;
    }

    protected abstract Methods<M> methods();

    /** Returns whether a bean that has methods needs a proxy. */
    protected boolean needsProxy(Object bean, List<M> methods) {
        return true;
    }

    /** Notes methods of a bean that are about to be guarded. */
    protected abstract void addGuarded(List<M> methods);

    /** Returns whether calls through the bean are already guarded, in its proxy or in the proxy of its target. */
    protected boolean isGuarded(Object bean) {
        return isAdvised(bean, this.guard.getAdvice().getClass());
    }

    static boolean isAdvised(Object bean, Class<? extends Advice> advice) {
        if (!(bean instanceof Advised advised)) {
            return false;
        }
        Object target = AopProxyUtils.getSingletonTarget(bean);
        return Arrays.stream(advised.getAdvisors()).anyMatch(advisor -> advice.isInstance(advisor.getAdvice()))
                || (target != null && isAdvised(target, advice));
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        this.beans = (ConfigurableListableBeanFactory) beanFactory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        List<M> methods = bean instanceof AopInfrastructureBean ? List.of() : methodsOf(bean, beanName);
        if (methods.isEmpty()) {
            return bean;
        }
        this.processed.add(beanName);
        if (!needsProxy(bean, methods)) {
            return bean;
        }
        methods.forEach(method -> method.checkDeclaredCallback(this.beans, beanName));
        if (bean instanceof Advised advised) {
            addGuard(advised, methods);
            return bean;
        }
        if (bean instanceof SpringProxy) {
            throw notExtensible(methods, "opaque");
        }
        return super.postProcessAfterInitialization(bean, beanName);
    }

    /** Checks all singletons that exist when the application has started. */
    @Override
    public void afterSingletonsInstantiated() {
        for (String name : this.beans.getBeanDefinitionNames()) {
            Object bean = this.beans.getSingleton(name);
            if (bean != null && !this.processed.contains(name) && !isGuarded(bean)) {
                methodsOf(bean, name).stream().findFirst().ifPresent(first -> first.checkCreation(this.beans, name));
            }
        }
    }

    @Override
    protected boolean isEligible(Class<?> targetClass) {
        return !methods().methodsOf(targetClass).isEmpty();
    }

    /** Called immediately before a proxy is created, when its kind and interfaces have been determined. */
    @Override
    protected void customizeProxyFactory(ProxyFactory proxyFactory) {
        Class<?> targetClass = proxyFactory.getTargetClass();
        if (targetClass != null) {
            Class<?> beanClass = ClassUtils.getUserClass(targetClass);
            List<M> callable = ProxyRules.of(beanClass, methods().methodsOf(beanClass), proxyFactory)
                    .check();
            // Without a target, an AOT application is being built, and placeholders have no values yet.
            if (proxyFactory.getTargetSource() instanceof EmptyTargetSource) {
                callable.forEach(GuardedMethod::checkAtBuildTime);
            } else {
                addGuarded(callable);
            }
        }
    }

    private void addGuard(Advised advised, List<M> methods) {
        if (isGuarded(advised)) {
            return;
        }
        if (advised.isFrozen()) {
            throw notExtensible(methods, "frozen");
        }
        Class<?> targetClass = advised.getTargetClass();
        Class<?> beanClass = targetClass != null ? ClassUtils.getUserClass(targetClass) : Object.class;
        List<Class<?>> interfaces = List.of(advised.getProxiedInterfaces());
        addGuarded(new ProxyRules<>(beanClass, methods, AopUtils.isJdkDynamicProxy(advised), interfaces).check());
        insertGuard(advised);
    }

    /** Adds the guard before the first advisor of a lower precedence, as if all had been sorted together. */
    private void insertGuard(Advised advised) {
        Advisor[] present = advised.getAdvisors();
        // Without a target, the last interceptor implements the method.
        int last = advised.getTargetSource() instanceof EmptyTargetSource && present.length > 0
                ? present.length - 1
                : present.length;
        int position = 0;
        while (position < last && AnnotationAwareOrderComparator.INSTANCE.compare(present[position], this.guard) <= 0) {
            position++;
        }
        advised.addAdvisor(position, this.guard);
    }

    private InvalidLockDefinitionException notExtensible(List<M> methods, String reason) {
        M method = methods.get(0);
        return method.site.rejection(
                "the bean already has a proxy that is " + reason + ", so that no advice can be added",
                "Create the proxy of the bean without this setting, or " + method.alternative() + ".");
    }

    private List<M> methodsOf(Object bean, String beanName) {
        if (bean instanceof Advised advised) {
            return methods().methodsOf(advised.getTargetClass(), advised.getProxiedInterfaces());
        }
        List<M> methods = methods().methodsOf(bean.getClass());
        if (bean instanceof SpringProxy && methods.isEmpty()) {
            Class<?> targetClass = AutoProxyUtils.determineTargetClass(this.beans, beanName);
            return targetClass != null ? methods().methodsOf(targetClass) : methods;
        }
        return methods;
    }
}
