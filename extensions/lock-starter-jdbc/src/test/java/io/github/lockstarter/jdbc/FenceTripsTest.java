package io.github.lockstarter.jdbc;

import static io.github.lockstarter.jdbc.FencedApplication.ORDER;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * How many statements of the fence the database executes, each of which is a round trip. H2 is a database whose
 * transactions can lose their locks.
 */
@Timeout(60)
class FenceTripsTest {

    private final AtomicInteger statements = new AtomicInteger();

    @AutoClose
    private final FencedApplication application = new FencedApplication(new Counted());

    /** One raises the token at the grant. Each transaction locks the row at its begin and before its commit. */
    @Test
    void shouldBeOneForAGrantAndTwoForATransaction() {
        assertThat(executed(() -> this.application.locks.execute(ORDER, lease -> {
                    int atGrant = this.statements.get();
                    this.application.transaction().executeWithoutResult(status -> {});
                    assertThat(this.statements.get() - atGrant)
                            .as("of the first transaction")
                            .isEqualTo(2);
                    this.application.transaction().executeWithoutResult(status -> {});
                    return null;
                })))
                .isEqualTo(1 + 2 * 2);
    }

    @Test
    void shouldBeNoneForATransactionThatIsDeclaredReadOnlyOrHoldsNoLock() {
        TransactionTemplate readOnly = this.application.transaction();
        readOnly.setReadOnly(true);

        assertThat(executed(() -> this.application.transaction().executeWithoutResult(status -> {})))
                .as("without a lock")
                .isZero();
        assertThat(executed(() -> this.application.locks.execute(ORDER, lease -> {
                    readOnly.executeWithoutResult(status -> {});
                    return null;
                })))
                .as("of the grant alone")
                .isEqualTo(1);
    }

    private int executed(Runnable work) {
        int before = this.statements.get();
        work.run();
        return this.statements.get() - before;
    }

    /** A database that counts the statements with the table of the fence. */
    private final class Counted extends DelegatingDataSource {

        Counted() {
            JdbcDataSource database = new JdbcDataSource();
            database.setUrl("jdbc:h2:mem:trips;DB_CLOSE_DELAY=-1");
            setTargetDataSource(database);
        }

        @Override
        public Connection getConnection() throws SQLException {
            return watched(Connection.class, super.getConnection(), false);
        }

        private <T> T watched(Class<T> type, T object, boolean isOfFence) {
            return type.cast(Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                        if (isOfFence && method.getName().startsWith("execute")) {
                            FenceTripsTest.this.statements.incrementAndGet();
                        }
                        Object result;
                        try {
                            result = method.invoke(object, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                        return result instanceof PreparedStatement statement
                                ? watched(
                                        PreparedStatement.class,
                                        statement,
                                        ((String) arguments[0]).contains("distributed_lock_fence"))
                                : result;
                    }));
        }
    }
}
