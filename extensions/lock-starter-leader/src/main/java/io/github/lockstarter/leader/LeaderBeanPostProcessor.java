package io.github.lockstarter.leader;

import java.lang.reflect.Method;
import java.util.List;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.aop.target.EmptyTargetSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;

/**
 * Applies {@link LeaderOnly} to beans with a proxy, outside of locks: a bean post-processor, as that of the locks,
 * because plain advisor beans are ignored under several configurations.
 */
@SuppressWarnings("serial")
final class LeaderBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private final LeaderAnnotations annotations;

    private final DefaultPointcutAdvisor restriction;

    private @Nullable ConfigurableListableBeanFactory beans;

    /**
     * Creates the post-processor.
     *
     * @param order order among the advisors of a proxy, outside of that of the locks
     */
    LeaderBeanPostProcessor(LeaderAnnotations annotations, Advice advice, int order) {
        this.annotations = annotations;
        this.restriction = new DefaultPointcutAdvisor(new AnnotatedPointcut(), advice);
        this.restriction.setOrder(order);
        this.advisor = this.restriction;
        setOrder(order);
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        super.setBeanFactory(beanFactory);
        this.beans = beanFactory instanceof ConfigurableListableBeanFactory listable ? listable : null;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof AopInfrastructureBean) {
            return bean;
        }
        LeaderSite site = this.annotations.site(AopUtils.getTargetClass(bean));
        if (site.isEmpty()) {
            return bean;
        }
        if (bean instanceof Advised advised && !advised.isFrozen()) {
            site.check(AopUtils.isJdkDynamicProxy(bean) ? List.of(advised.getProxiedInterfaces()) : null);
            insert(advised);
        } else if (bean instanceof SpringProxy) {
            throw LeaderElections.invalid(
                    "@LeaderOnly on " + site.type().getName() + " cannot take effect, because the bean '" + beanName
                            + "' already has a proxy to which no advice can be added.",
                    "Create the proxy without the settings frozen and opaque, or call LeaderElection.isLeader.");
        }
        Object proxy = bean instanceof Advised ? bean : super.postProcessAfterInitialization(bean, beanName);
        this.annotations.addProcessed(beanName, site, this.beans);
        return proxy;
    }

    /** Adds the restriction before the first advisor of a lower precedence, as the locks do. */
    private void insert(Advised advised) {
        Advisor[] present = advised.getAdvisors();
        int last = advised.getTargetSource() instanceof EmptyTargetSource && present.length > 0
                ? present.length - 1
                : present.length;
        int position = 0;
        while (position < last
                && AnnotationAwareOrderComparator.INSTANCE.compare(present[position], this.restriction) <= 0) {
            position++;
        }
        advised.addAdvisor(position, this.restriction);
    }

    @Override
    protected boolean isEligible(Class<?> targetClass) {
        return !this.annotations.site(targetClass).isEmpty();
    }

    @Override
    protected void customizeProxyFactory(ProxyFactory proxyFactory) {
        Class<?> targetClass = proxyFactory.getTargetClass();
        if (targetClass != null) {
            Class<?>[] interfaces = proxyFactory.getProxiedInterfaces();
            boolean isClassProxy = proxyFactory.isProxyTargetClass() || interfaces.length == 0;
            this.annotations.site(targetClass).check(isClassProxy ? null : List.of(interfaces));
        }
    }

    private final class AnnotatedPointcut extends StaticMethodMatcherPointcut {

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            return LeaderBeanPostProcessor.this
                    .annotations
                    .site(targetClass)
                    .isIntercepted(AopUtils.getMostSpecificMethod(method, targetClass));
        }
    }
}
