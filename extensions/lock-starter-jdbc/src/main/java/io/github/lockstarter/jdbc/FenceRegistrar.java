package io.github.lockstarter.jdbc;

import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.text.LockLog;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ReflectionUtils;

/**
 * Registers the fence with the registry of locks, and with the transaction managers that have a DataSource: those for
 * JDBC, JPA and Hibernate. The transactions of all others are not fenced, which a warning states.
 */
final class FenceRegistrar implements BeanPostProcessor, PriorityOrdered {

    private static final LockLog logger = LockLog.of(FenceRegistrar.class);

    static final String ACCESSOR = "getDataSource";

    /** The managers of Spring that have it. */
    static final List<String> MANAGERS = List.of(
            "org.springframework.jdbc.datasource.DataSourceTransactionManager",
            "org.springframework.orm.jpa.JpaTransactionManager",
            "org.springframework.orm.jpa.hibernate.HibernateTransactionManager",
            "org.springframework.orm.hibernate5.HibernateTransactionManager");

    private final TransactionFence fence;

    /** A manager and its proxy may both be beans. */
    private final Set<Object> known = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    FenceRegistrar(TransactionFence fence) {
        this.fence = fence;
    }

    /** Precedes all that are not PriorityOrdered: one of them may need a transaction manager. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof LeasingLockRegistry registry) {
            this.fence.setRegistry(registry);
        } else if (bean instanceof TransactionManager) {
            register(bean, beanName);
        } else {
            // The manager of these may be no bean.
            TransactionManager manager = bean instanceof TransactionTemplate template
                    ? template.getTransactionManager()
                    : bean instanceof TransactionAspectSupport aspect ? aspect.getTransactionManager() : null;
            if (manager != null) {
                register(manager, beanName);
            }
        }
        return bean;
    }

    private void register(Object bean, String beanName) {
        Object target = bean;
        for (Object each = bean; each != null; each = AopProxyUtils.getSingletonTarget(each)) {
            target = each;
        }
        if (!this.known.add(target)) {
            return;
        }
        Method accessor = ReflectionUtils.findMethod(target.getClass(), ACCESSOR);
        if (target instanceof AbstractPlatformTransactionManager manager && accessor != null) {
            TransactionFence.Listener listener =
                    this.fence.new Listener(manager, () -> dataSource(accessor, manager), beanName);
            // The present list is copied, because it may be immutable, or shared with another manager.
            List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
            listeners.add(listener);
            manager.setTransactionExecutionListeners(listeners);
        } else {
            logger.warn("The transactions of transaction manager '" + beanName + "' ("
                    + target.getClass().getName()
                    + ") are not fenced: it has no JDBC DataSource. Pass the fencing token"
                    + " of the lock to its resources.");
        }
    }

    /** Returns {@code null} if the manager has none, such as a manager of JPA without a DataSource. */
    private static @Nullable DataSource dataSource(Method accessor, Object manager) {
        return ReflectionUtils.invokeMethod(accessor, manager) instanceof DataSource source ? source : null;
    }
}
