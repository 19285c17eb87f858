package io.github.lockstarter.tx;

import io.github.lockstarter.LockLostException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Refuses the commit of a transaction whose thread has lost a lock under which it works: {@link LockLostException} is
 * thrown right before the commit, and the transaction is rolled back. As a post-processor it adds itself to every
 * transaction manager that is a bean, so that it does not matter who begins the transaction, and how.
 *
 * <p>What it cannot do is stop a commit that is on its way when the lock is lost; pass the fencing token to the database
 * for that. Reactive transactions commit in other threads and are not covered.
 *
 * @see <a href="https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html">Kleppmann: How to do
 *     distributed locking</a>
 */
public final class CommitGuard implements BeanPostProcessor {

    /** No bean: Spring Boot would add it to its transaction managers once more. */
    private final TransactionExecutionListener listener = new TransactionExecutionListener() {

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            GuardedLeases.ensureHeld();
        }
    };

    /** Creates the guard. */
    public CommitGuard() {}

    /** Before a proxy hides that it can be configured. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        if (bean instanceof ConfigurableTransactionManager manager) {
            manager.addListener(this.listener);
        }
        return bean;
    }
}
