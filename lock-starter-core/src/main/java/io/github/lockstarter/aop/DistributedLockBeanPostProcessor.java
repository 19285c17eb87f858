package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.named.AnnotatedLock;
import io.github.lockstarter.named.RequestDefaults;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.util.ClassUtils;

/**
 * Applies locks and permits to the {@link DistributedLock} and {@link DistributedSemaphore} methods of beans with a
 * proxy. If that is not possible, the application fails to start with {@link InvalidLockDefinitionException}.
 *
 * <p>This is a bean post-processor and not an advisor bean, because advisor beans are silently ignored without an
 * auto-proxy creator. If a bean already has a proxy, the lock is added to it according to its order. This
 * post-processor runs before the post-processors of {@code @Async} and {@code @Retryable}, which place their advice
 * outside of existing advice.
 *
 * <p>With {@link AdviceMode#ASPECTJ}, it does not create proxies but verifies that {@link DistributedLockAspect} has
 * been woven into the methods.
 */
@SuppressWarnings("serial")
public final class DistributedLockBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton, DisposableBean {

    /**
     * Default order of the lock among the advisors of a proxy: outside of transactions, caches and aspects without an
     * order, within aspects with one. It is also the order of this post-processor.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    private final LockedMethodSource methods;

    private final DefaultPointcutAdvisor lock;

    private final WeavingContext weavingContext;

    private final StartupReport report;

    private final BeanRules beanRules = new BeanRules();

    private boolean enabled = true;

    private boolean woven;

    /** The field of the superclass is private in Spring Framework 6. */
    private @Nullable ConfigurableListableBeanFactory beans;

    /**
     * Creates the post-processor.
     *
     * @param registry called at the first call of a locked method, because the registry must not be created before
     *     ordinary beans
     * @param settings the settings of the registry
     */
    public DistributedLockBeanPostProcessor(Supplier<LockRegistry> registry, RequestDefaults settings) {
        this.methods = new LockedMethodSource(() -> this.beans, settings.named());
        this.report = new StartupReport(settings);
        DistributedLockInterceptor interceptor = new DistributedLockInterceptor(this.methods, settings, registry);
        this.weavingContext = new WeavingContext(this.methods, interceptor);
        this.lock = new DefaultPointcutAdvisor(new LockedMethodPointcut(), interceptor);
        this.lock.setOrder(DEFAULT_ORDER);
        this.advisor = this.lock;
        setOrder(DEFAULT_ORDER);
    }

    /** Returns whether calls through the bean already acquire its locks, in its proxy or in the proxy of its target. */
    public static boolean isLocked(Object bean) {
        return BeanRules.isLocked(bean);
    }

    /** Sets the order of the lock among the advisors of a proxy; a lower value is farther outside. */
    public void setLockOrder(int lockOrder) {
        this.lock.setOrder(lockOrder);
    }

    /** Sets whether methods acquire their locks (the default). If not, one warning lists the methods. */
    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
        this.weavingContext.setActive(this.woven && enabled);
    }

    /**
     * Sets how locks are applied: with proxies (the default), or with AspectJ's load-time weaver. The order among
     * advisors does not apply to woven methods.
     */
    public void setMode(AdviceMode mode) {
        this.woven = mode == AdviceMode.ASPECTJ;
        this.weavingContext.setActive(this.woven && this.enabled);
    }

    /** Returns the annotations of all beans so far, with the settings that apply to them. */
    public List<AnnotatedLock> annotatedLocks() {
        return this.report.locks();
    }

    /** Adds a name that the application requests from the registry itself, so that its settings count as used. */
    public void addRequestedName(String name) {
        this.report.addRequestedName(name);
    }

    /**
     * Sets the listener for the lock names of annotated methods, which is not called before the application has
     * started.
     */
    public void setNameListener(LockNameListener listener) {
        this.report.setListener(listener);
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        this.beans = beanFactory instanceof ConfigurableListableBeanFactory listable ? listable : null;
        this.weavingContext.open();
    }

    @Override
    public void destroy() {
        this.weavingContext.close();
    }

    /** Registers woven beans before their initialization, which may call their own methods. */
    @Override
    public boolean postProcessAfterInstantiation(Object bean, String beanName) {
        this.weavingContext.add(bean, this.methods.methodsOf(bean.getClass()));
        return true;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean) {
            return bean;
        }
        List<LockedMethod> locked = methodsOf(bean, beanName);
        if (locked.isEmpty()) {
            return bean;
        }
        this.beanRules.addProcessed(beanName);
        if (!this.enabled) {
            this.report.addDisabled(locked);
            return bean;
        }
        if (this.woven) {
            this.weavingContext.add(bean, locked);
            WeavingContext.checkWoven(locked);
            this.report.addLocked(locked);
            return bean;
        }
        if (this.beans != null) {
            BeanRules.checkDeclaredCallbacks(locked, this.beans, beanName);
        }
        if (bean instanceof Advised advised) {
            addLock(advised, locked);
            return bean;
        }
        if (bean instanceof SpringProxy) {
            throw notExtensible(locked, "opaque");
        }
        return super.postProcessAfterInitialization(bean, beanName);
    }

    @Override
    public void afterSingletonsInstantiated() {
        this.report.start(this.enabled);
        if (this.enabled && !this.woven && this.beans != null) {
            this.beanRules.checkCreation(this.beans, this::methodsOf);
        }
    }

    @Override
    protected boolean isEligible(Class<?> targetClass) {
        return this.enabled
                && !this.woven
                && !this.methods.methodsOf(targetClass).isEmpty();
    }

    /** Called immediately before a proxy is created, when its kind and interfaces have been determined. */
    @Override
    protected void customizeProxyFactory(ProxyFactory proxyFactory) {
        Class<?> targetClass = proxyFactory.getTargetClass();
        if (targetClass != null) {
            Class<?> beanClass = ClassUtils.getUserClass(targetClass);
            List<LockedMethod> callable = ProxyRules.of(beanClass, this.methods.methodsOf(beanClass), proxyFactory)
                    .check();
            // Without a target, an AOT application is being built, and placeholders have no values yet.
            if (proxyFactory.getTargetSource() instanceof EmptyTargetSource) {
                callable.forEach(LockedMethod::checkDerivedNames);
            } else {
                this.report.addLocked(callable);
            }
        }
    }

    private void addLock(Advised advised, List<LockedMethod> locked) {
        if (BeanRules.isLocked(advised)) {
            return;
        }
        if (advised.isFrozen()) {
            throw notExtensible(locked, "frozen");
        }
        Class<?> targetClass = advised.getTargetClass();
        Class<?> beanClass = targetClass != null ? ClassUtils.getUserClass(targetClass) : Object.class;
        List<Class<?>> interfaces = List.of(advised.getProxiedInterfaces());
        this.report.addLocked(
                new ProxyRules(beanClass, locked, AopUtils.isJdkDynamicProxy(advised), interfaces).check());
        insertLock(advised);
    }

    /** Adds the lock before the first advisor of a lower precedence, as if all had been sorted together. */
    private void insertLock(Advised advised) {
        Advisor[] present = advised.getAdvisors();
        // Without a target, the last interceptor implements the method.
        int last = advised.getTargetSource() instanceof EmptyTargetSource && present.length > 0
                ? present.length - 1
                : present.length;
        int position = 0;
        while (position < last && AnnotationAwareOrderComparator.INSTANCE.compare(present[position], this.lock) <= 0) {
            position++;
        }
        advised.addAdvisor(position, this.lock);
    }

    private static InvalidLockDefinitionException notExtensible(List<LockedMethod> locked, String reason) {
        return locked.get(0)
                .site
                .rejection(
                        "the bean already has a proxy that is " + reason + ", so that no lock can be added",
                        "Create the proxy of the bean without this setting, or call LockRegistry.execute in the method.");
    }

    private List<LockedMethod> methodsOf(Object bean, String beanName) {
        if (bean instanceof Advised advised) {
            return this.methods.methodsOf(advised.getTargetClass(), advised.getProxiedInterfaces());
        }
        List<LockedMethod> locked = this.methods.methodsOf(bean.getClass());
        if (bean instanceof SpringProxy && locked.isEmpty() && this.beans != null) {
            Class<?> targetClass = AutoProxyUtils.determineTargetClass(this.beans, beanName);
            return targetClass != null ? this.methods.methodsOf(targetClass) : locked;
        }
        return locked;
    }

    /** Searches for annotations but does not read them: at build time (AOT), placeholders cannot be resolved. */
    private final class LockedMethodPointcut extends StaticMethodMatcherPointcut {

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return DistributedLockBeanPostProcessor.this.methods.find(method, targetClass) != null;
        }
    }
}
