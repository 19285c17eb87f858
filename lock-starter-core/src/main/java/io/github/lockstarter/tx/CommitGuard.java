package io.github.lockstarter.tx;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.text.LockLog;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;

/**
 * Prevents the commit of a transaction whose thread has lost one of its locks: {@link LockLostException} is thrown
 * immediately before the commit, and the transaction is rolled back. As a bean post-processor, it registers a listener
 * with every transaction manager that is a bean, and therefore covers all ways to begin a transaction. A manager that
 * does not accept listeners (see {@link ConfigurableTransactionManager}) is logged as a warning.
 *
 * <p>It cannot prevent a commit that is already in progress when the lock is lost; pass the fencing token to the
 * database for that case. Reactive transactions commit in other threads and are not covered.
 *
 * @see <a href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">Kleppmann: How to do
 *     distributed locking</a>
 */
public final class CommitGuard implements BeanPostProcessor, PriorityOrdered {

    private static final LockLog logger = LockLog.of(CommitGuard.class);

    /**
     * The listener is not a bean, because Spring Boot would register it with its transaction managers a second time.
     */
    private final TransactionExecutionListener listener = new TransactionExecutionListener() {

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            GuardedLeases.ensureHeld();
        }
    };

    /** Creates the guard. */
    public CommitGuard() {}

    /**
     * Precedes all that are not PriorityOrdered: one of them may need a transaction manager, which would be created
     * unseen.
     */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    /** Registers before a proxy may hide that the manager is configurable. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof TransactionManager) {
            guard(bean);
        }
        return bean;
    }

    /** Registers with products of factory beans, which are not passed before initialization. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof TransactionManager && !guard(bean) && bean instanceof PlatformTransactionManager) {
            logger.warn(
                    "Transaction manager '" + beanName + "' (" + bean.getClass().getName()
                            + ") does not accept listeners: its transactions may commit although a lock is lost. Implement"
                            + " ConfigurableTransactionManager, declare the managers to which it delegates as beans, or"
                            + " call Lease.ensureHeld() at the end of transactions.");
        }
        return bean;
    }

    /**
     * Registers the listener with a manager or the target of its proxy; returns false if it does not accept listeners.
     */
    private boolean guard(Object bean) {
        for (Object each = bean; each != null; each = AopProxyUtils.getSingletonTarget(each)) {
            if (each instanceof ConfigurableTransactionManager manager) {
                if (!manager.getTransactionExecutionListeners().contains(this.listener)) {
                    manager.addListener(this.listener);
                }
                return true;
            }
        }
        return false;
    }
}
