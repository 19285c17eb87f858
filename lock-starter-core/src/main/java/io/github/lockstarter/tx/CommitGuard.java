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
 * Refuses the commit of a transaction whose thread has lost a lock under which it works: {@link LockLostException} is
 * thrown right before the commit, and the transaction is rolled back. As a post-processor it adds itself to every
 * transaction manager that is a bean, so that it does not matter who begins the transaction, and how. One that takes no
 * listeners (see {@link ConfigurableTransactionManager}) is warned of.
 *
 * <p>What it cannot do is stop a commit that is on its way when the lock is lost; pass the fencing token to the database
 * for that. Reactive transactions commit in other threads and are not covered.
 *
 * @see <a href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">Kleppmann: How to do
 *     distributed locking</a>
 */
public final class CommitGuard implements BeanPostProcessor, PriorityOrdered {

    private static final LockLog logger = LockLog.of(CommitGuard.class);

    /** No bean: Spring Boot would add it to its transaction managers once more. */
    private final TransactionExecutionListener listener = new TransactionExecutionListener() {

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            GuardedLeases.ensureHeld();
        }
    };

    /** Creates the guard. */
    public CommitGuard() {}

    /** Before other post-processors: those may need a transaction manager, which would be made too early to be seen. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    /** Before a proxy hides that it can be configured. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof TransactionManager) {
            guard(bean);
        }
        return bean;
    }

    /** What a factory bean has made is not seen before, and initialization may make a manager known. */
    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof TransactionManager && !guard(bean) && bean instanceof PlatformTransactionManager) {
            logger.warn(
                    "Transaction manager '" + beanName + "' (" + bean.getClass().getName() + ") takes no listeners:"
                            + " a transaction that it begins may commit although its lock is lost. Let it implement"
                            + " ConfigurableTransactionManager, declare the managers behind it as beans, or call"
                            + " Lease.ensureHeld() last in the transaction.");
        }
        return bean;
    }

    /** False if that is not possible. */
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
