package io.github.lockstarter.aop;

import java.util.function.Consumer;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Transactions that report when they begin and how they end, and do nothing else. */
@SuppressWarnings("serial")
public final class ReportingTransactions extends AbstractPlatformTransactionManager {

    private final transient Consumer<String> events;

    public ReportingTransactions(Consumer<String> events) {
        this.events = events;
    }

    @Override
    protected Object doGetTransaction() {
        return this;
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
        this.events.accept("begin");
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
        this.events.accept("commit");
    }

    @Override
    protected void doRollback(DefaultTransactionStatus status) {
        this.events.accept("rollback");
    }
}
