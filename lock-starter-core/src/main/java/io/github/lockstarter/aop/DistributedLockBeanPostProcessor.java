package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.named.AnnotatedLock;
import io.github.lockstarter.named.RequestDefaults;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.core.Ordered;

/**
 * Applies locks and permits to the {@link DistributedLock} and {@link DistributedSemaphore} methods of beans with a
 * proxy. If that is not possible, the application fails to start with {@link InvalidLockDefinitionException}.
 *
 * <p>This post-processor runs before the post-processors of {@code @Async} and {@code @Retryable}, which place their
 * advice outside of existing advice.
 *
 * <p>With {@link AdviceMode#ASPECTJ}, it does not create proxies but verifies that {@link DistributedLockAspect} has
 * been woven into the methods.
 */
@SuppressWarnings("serial")
public final class DistributedLockBeanPostProcessor extends GuardingBeanPostProcessor<LockedMethod>
        implements DisposableBean {

    /**
     * Default order of the lock among the advisors of a proxy: outside of transactions, caches and aspects without an
     * order, within aspects with one. It is also the order of this post-processor.
     */
    public static final int DEFAULT_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    private final LockedMethodSource methods;

    private final WeavingContext weavingContext;

    private final StartupReport report;

    private boolean enabled = true;

    private boolean woven;

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
        this.guard.setAdvice(interceptor);
        this.guard.setOrder(DEFAULT_ORDER);
        setOrder(DEFAULT_ORDER);
    }

    /** Returns whether calls through the bean already acquire its locks, in its proxy or in the proxy of its target. */
    public static boolean isLocked(Object bean) {
        return isAdvised(bean, DistributedLockInterceptor.class);
    }

    /** Sets the order of the lock among the advisors of a proxy; a lower value is farther outside. */
    public void setLockOrder(int lockOrder) {
        this.guard.setOrder(lockOrder);
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
    public void afterSingletonsInstantiated() {
        this.report.start(this.enabled);
        if (this.enabled && !this.woven) {
            super.afterSingletonsInstantiated();
        }
    }

    @Override
    protected boolean needsProxy(Object bean, List<LockedMethod> locked) {
        if (!this.enabled) {
            this.report.addDisabled(locked);
        } else if (this.woven) {
            this.weavingContext.add(bean, locked);
            WeavingContext.checkWoven(locked);
            this.report.addLocked(locked);
        }
        return this.enabled && !this.woven;
    }

    @Override
    protected boolean isEligible(Class<?> targetClass) {
        return this.enabled && !this.woven && super.isEligible(targetClass);
    }

    @Override
    protected void addGuarded(List<LockedMethod> locked) {
        this.report.addLocked(locked);
    }

    @Override
    protected Methods<LockedMethod> methods() {
        return this.methods;
    }
}
