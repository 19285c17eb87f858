package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockFailureHandler;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.call.DistributedLockInterceptor;
import io.github.lockstarter.aop.call.LockDefaults;
import io.github.lockstarter.aop.key.ExpressionContext;
import io.github.lockstarter.aop.metadata.LockSpecReader;
import io.github.lockstarter.aop.metadata.LockedMethod;
import io.github.lockstarter.aop.metadata.LockedMethods;
import io.github.lockstarter.aop.metadata.LockedType;
import io.github.lockstarter.aop.metadata.LockedTypes;
import io.github.lockstarter.aop.metadata.Placeholders;
import io.github.lockstarter.aop.weave.DistributedLockAspect;
import io.github.lockstarter.aop.weave.LockedApplication;
import io.github.lockstarter.aop.weave.LockedApplications;
import io.github.lockstarter.aop.weave.WeavingRules;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.core.Ordered;

/**
 * Puts a lock around the {@link DistributedLock} methods of beans, and fails the start of the application with
 * {@link InvalidLockDefinitionException} where that cannot be done.
 *
 * <p>It is a post-processor rather than an advisor bean, for those are silently ignored where no auto-proxy creator
 * looks for them. In proxies that are there already the lock goes where its order belongs. The post-processor runs
 * before those of {@code @Async} and {@code @Retryable}, which put themselves outside of what they find.
 *
 * <p>With {@link AdviceMode#ASPECTJ} it makes no proxies, but sees to it that the methods have been woven with
 * {@link DistributedLockAspect}, and fails the start where they have not.
 */
@SuppressWarnings("serial")
public final class DistributedLockBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor
        implements SmartInitializingSingleton, DisposableBean {

    /**
     * Default place of the lock among the advisors of a proxy: outside of transactions, caches and aspects without an
     * order, inside of aspects with one. Also the place of this post-processor among others.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    private final DisabledLocks disabledLocks = new DisabledLocks();

    private final LockNames names = new LockNames();

    private final SameKeys sameKeys = new SameKeys();

    private final EarlyBeans earlyBeans = new EarlyBeans();

    private final LockDefaults defaults = new LockDefaults();

    private final ScheduledJobs scheduledJobs = new ScheduledJobs(this.defaults);

    private final LockedTypes types;

    private final DefaultPointcutAdvisor lock;

    private final LockedApplication application;

    private boolean enabled = true;

    private boolean woven;

    /** That of the superclass is private in Spring Framework 6. */
    private @Nullable ConfigurableListableBeanFactory beans;

    /**
     * Creates the post-processor.
     *
     * @param registry asked at the first call of a locked method, so that it is not created before ordinary beans
     */
    public DistributedLockBeanPostProcessor(Supplier<LockRegistry> registry) {
        Supplier<@Nullable ConfigurableBeanFactory> factory = () -> this.beans;
        LockedMethods methods =
                new LockedMethods(new LockSpecReader(new Placeholders(factory), new ExpressionContext(factory)));
        this.types = new LockedTypes(methods);
        DistributedLockInterceptor interceptor =
                new DistributedLockInterceptor(methods, this.defaults, registry, this::failureHandler);
        this.application = new LockedApplication(methods, interceptor);
        this.lock = new DefaultPointcutAdvisor(new LockedMethodPointcut(methods), interceptor);
        this.lock.setOrder(DEFAULT_ORDER);
        this.advisor = this.lock;
        setOrder(DEFAULT_ORDER);
    }

    /** Sets the place of the lock among the advisors of a proxy; smaller is farther outside. */
    public void setLockOrder(int lockOrder) {
        this.lock.setOrder(lockOrder);
    }

    /** Whether methods get their lock (the default). If not, one warning lists those that go without. */
    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
        this.application.setWeaving(this.woven && enabled);
    }

    /**
     * Sets who takes the lock: a proxy of the bean (the default), or the method's own code, into which AspectJ's
     * load-time weaver has put it. Then the place among the advisors says nothing.
     */
    public void setMode(AdviceMode mode) {
        this.woven = mode == AdviceMode.ASPECTJ;
        this.application.setWeaving(this.woven && this.enabled);
    }

    /** Sets how long calls wait whose annotation does not say it; needed for those that take more than one lock. */
    public void setWaitTime(Duration waitTime) {
        this.defaults.setWaitTime(waitTime);
    }

    /**
     * Sets how long the store may take to answer, by default 3 s: a call that takes more than one lock ends at its
     * deadline and this time at the latest.
     */
    public void setCommandTimeout(Duration commandTimeout) {
        this.defaults.setCommandTimeout(commandTimeout);
    }

    /**
     * Sets what happens on a loss where the annotation has {@link OnLost#DEFAULT}; {@link OnLost#THROW} by default.
     *
     * @throws InvalidLockSettingException if it is {@link OnLost#DEFAULT} itself
     */
    public void setOnLost(OnLost onLost) {
        this.defaults.setOnLost(onLost);
    }

    /** Whether messages contain the keys of locks (the default); if not, digests stand for them. */
    public void setLogKeys(boolean logKeys) {
        this.defaults.setLogKeys(logKeys);
    }

    /** Sets who hears the static names of locked methods; asked for nothing before the application has started. */
    public void setNameListener(LockNameListener listener) {
        this.names.setListener(listener);
    }

    private @Nullable LockFailureHandler failureHandler() {
        return this.beans != null
                ? this.beans.getBeanProvider(LockFailureHandler.class).getIfUnique()
                : null;
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        this.beans = beanFactory instanceof ConfigurableListableBeanFactory listable ? listable : null;
        LockedApplications.open(this.application);
    }

    @Override
    public void destroy() {
        LockedApplications.close(this.application);
    }

    /** The earliest moment: a bean may call its own methods while it is being initialized. */
    @Override
    public boolean postProcessAfterInstantiation(Object bean, String beanName) {
        LockedType type = this.types.of(bean.getClass());
        if (type.isLocked()) {
            this.application.add(bean, type);
        }
        return true;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean) {
            return bean;
        }
        LockedType type = typeOf(bean, beanName);
        if (!type.isLocked()) {
            return bean;
        }
        this.earlyBeans.seen(beanName);
        if (!this.enabled) {
            this.disabledLocks.add(type);
            return bean;
        }
        if (this.woven) {
            this.application.add(bean, type);
            WeavingRules.check(type);
            locked(type.methods());
            return bean;
        }
        if (this.beans != null) {
            ContainerCalls.refuse(type, this.beans, beanName);
        }
        if (bean instanceof Advised advised) {
            addTo(advised, type);
            return bean;
        }
        if (bean instanceof SpringProxy) {
            throw closed(type, "opaque");
        }
        return super.postProcessAfterInitialization(bean, beanName);
    }

    @Override
    public void afterSingletonsInstantiated() {
        this.disabledLocks.started();
        this.names.started();
        if (this.enabled && !this.woven && this.beans != null) {
            this.earlyBeans.refuse(this.beans, this::typeOf);
        }
    }

    @Override
    protected boolean isEligible(Class<?> targetClass) {
        return this.enabled && !this.woven && this.types.of(targetClass).isLocked();
    }

    /** Called with everything decided, right before a proxy is made. */
    @Override
    protected void customizeProxyFactory(ProxyFactory proxyFactory) {
        Class<?> targetClass = proxyFactory.getTargetClass();
        if (targetClass != null) {
            List<LockedMethod> callable =
                    ProxyRules.of(this.types.of(targetClass), proxyFactory).check();
            // Without a target this is the build of an AOT application, where properties have no values yet.
            if (proxyFactory.getTargetSource() instanceof EmptyTargetSource) {
                callable.forEach(LockedMethod::checkDerivedNames);
            } else {
                locked(callable);
            }
        }
    }

    /** The methods of a bean that can be called have their lock. */
    private void locked(List<LockedMethod> callable) {
        callable.forEach(this.names::add);
        this.sameKeys.check(callable);
        this.scheduledJobs.check(callable);
    }

    private LockedType typeOf(Object bean, String beanName) {
        if (bean instanceof Advised advised) {
            return this.types.of(advised.getTargetClass(), advised.getProxiedInterfaces());
        }
        LockedType type = this.types.of(bean.getClass());
        if (bean instanceof SpringProxy && !type.isLocked() && this.beans != null) {
            Class<?> hidden = AutoProxyUtils.determineTargetClass(this.beans, beanName);
            return hidden != null ? this.types.of(hidden) : type;
        }
        return type;
    }

    private void addTo(Advised advised, LockedType type) {
        if (AdvisorChain.locks(advised)) {
            return;
        }
        if (advised.isFrozen()) {
            throw closed(type, "frozen");
        }
        locked(new ProxyRules(type, AopUtils.isJdkDynamicProxy(advised), List.of(advised.getProxiedInterfaces()))
                .check());
        AdvisorChain.add(advised, this.lock);
    }

    private static InvalidLockDefinitionException closed(LockedType type, String how) {
        return type.methods()
                .get(0)
                .site()
                .refused(
                        "the bean has a proxy already that is " + how + ", so that no lock can be added",
                        "Have that proxy made without this setting, or call LockRegistry.execute in the method.");
    }
}
