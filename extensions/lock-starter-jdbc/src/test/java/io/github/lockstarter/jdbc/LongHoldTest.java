package io.github.lockstarter.jdbc;

import static io.github.lockstarter.jdbc.FencedApplication.ORDER;
import static io.github.lockstarter.jdbc.FencedApplication.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.jdbc.FenceTable.Outcome;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Locks that are held for longer than rows are kept, beside the clean-up of old rows. The retention is 30 days. */
@Timeout(60)
class LongHoldTest {

    private static final byte[] PREFIX = "shop:{".getBytes(StandardCharsets.UTF_8);

    private static final String CLEAN_UP = "lock-starter-fence-clean-up";

    /** Runs before a statement deletes rows. */
    private Runnable beforeDeletion = () -> {};

    @AutoClose
    private final FencedApplication application = new FencedApplication(new Hooked());

    /** The owner has a transaction every 16 days, after which its token is older than half the retention. */
    @Test
    void shouldKeepTheRowOfALockThatIsHeldForLongerThanTwiceTheRetention() {
        FenceCleanUp cleanUp = this.application.cleanUp();
        this.application.locks.execute(ORDER, lease -> {
            for (int days = 16; days <= 80; days += 16) {
                pass(days, 16);

                this.application.transaction().executeWithoutResult(status -> {});

                assertThat(age())
                        .as("age of the row after a transaction on day %d", days)
                        .isLessThan(Duration.ofDays(1));
                cleanUp.run();
                assertThat(this.application.stored())
                        .as("token in the row after a clean-up on day %d", days)
                        .isEqualTo(lease.fencingToken());
            }
            return null;
        });
    }

    /** A raise is a write that waits for the disk. */
    @Test
    void shouldNotRaiseATokenAgainThatIsYoungerThanHalfTheRetention() {
        this.application.locks.execute(ORDER, lease -> {
            pass(14, 14);

            this.application.transaction().executeWithoutResult(status -> {});

            assertThat(age()).as("age of the row after a transaction on day 14").isGreaterThan(Duration.ofDays(13));
            return null;
        });
    }

    /** Lets the fence and the row become older. */
    private void pass(int daysOfFence, int daysOfRow) {
        this.application.passed = Duration.ofDays(daysOfFence);
        this.application.others.update(
                "UPDATE distributed_lock_fence SET raised_at = raised_at - ? WHERE name = ?",
                TimeUnit.DAYS.toMicros(daysOfRow),
                key());
    }

    private Duration age() {
        Long raisedAt = this.application.others.queryForObject(
                "SELECT raised_at FROM distributed_lock_fence WHERE name = ?", Long.class, key());
        return Duration.ofMillis(System.currentTimeMillis() - raisedAt / 1000);
    }

    /**
     * The token of a long hold is older than the retention, so that its row alone proves that there was no later owner.
     */
    @Test
    void shouldMakeTheRowOfAnOldTokenYoungAgain() throws SQLException {
        long token = (System.currentTimeMillis() - Duration.ofDays(40).toMillis()) * 1000;
        this.application.letTheNextOwnerCommit(token);
        pass(31, 31);

        try (Connection connection = this.application.pool.getConnection()) {
            assertThat(this.application.table.raise(connection, key(), token, Duration.ofSeconds(10)))
                    .isEqualTo(Outcome.ACCEPTED);
        }

        assertThat(age()).as("age of the row after the raise").isLessThan(Duration.ofDays(1));
    }

    /** Old rows are searched without locks. */
    @Test
    void shouldNotDeleteARowThatIsRaisedAfterItWasFoundToBeOld() throws SQLException {
        this.application.letTheNextOwnerCommit(1);
        pass(0, 61);
        this.beforeDeletion = () -> this.application.letTheNextOwnerCommit(2);

        assertThat(this.application.table.deleteOld(PREFIX, () -> true))
                .as("deleted rows")
                .isZero();

        assertThat(this.application.stored()).as("token of the next owner").isEqualTo(2);
    }

    /** Another instance may clean up then. */
    @Test
    void shouldEndTheCleanUpWhenItsLockIsLost() {
        List<Object[]> rows = IntStream.range(0, 600)
                .mapToObj(i -> new Object[] {("shop:{" + i + '}').getBytes(StandardCharsets.UTF_8), 1, 1})
                .toList();
        this.application.others.batchUpdate(
                "INSERT INTO distributed_lock_fence (name, token, raised_at) VALUES (?, ?, ?)", rows);

        this.application.cleanUp(losing(this.application.locks)).run();

        assertThat(rows())
                .as("old rows that a clean-up leaves which loses its lock in the first batch")
                .isEqualTo(100);
        this.application.cleanUp().run();
        assertThat(rows()).as("old rows after the next clean-up").isZero();
        assertThat(this.application.locks.getLock(CLEAN_UP).isLocked())
                .as("lock of the clean-up")
                .isFalse();
    }

    private Long rows() {
        return this.application.others.queryForObject("SELECT COUNT(*) FROM distributed_lock_fence", Long.class);
    }

    /** Returns a registry that takes its leases away. */
    private static LockRegistry losing(LeasingLockRegistry registry) {
        return (LockRegistry) Proxy.newProxyInstance(
                LongHoldTest.class.getClassLoader(),
                new Class<?>[] {LockRegistry.class},
                (proxy, method, arguments) -> {
                    Optional<Lease> granted = registry.tryAcquire((LockRequest) arguments[0]);
                    granted.ifPresent(lease -> registry.takenOver(lease));
                    return granted;
                });
    }

    /** A database whose deletions a test can precede. */
    private final class Hooked extends DelegatingDataSource {

        Hooked() {
            JdbcDataSource database = new JdbcDataSource();
            database.setUrl("jdbc:h2:mem:long-hold;DB_CLOSE_DELAY=-1");
            setTargetDataSource(database);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("prepareStatement")
                                && ((String) arguments[0]).contains("AND raised_at <")) {
                            LongHoldTest.this.beforeDeletion.run();
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
        }
    }
}
