package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;

/** The lock comes before the transaction and goes after it, with everything as Spring Boot configures it. */
@RedisTest
class TransactionRedisTest {

    private final RedisServer redis;

    private final RedisCli cli;

    private final List<String> steps = new ArrayList<>();

    TransactionRedisTest(RedisServer redis, RedisCli cli) {
        this.redis = redis;
        this.cli = cli;
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void shouldLockBeforeBeginAndUnlockAfterCommit(boolean aspectj, boolean proxyTargetClass) {
        application(aspectj, proxyTargetClass).run(context -> {
            context.getBean(Ledger.class).book(false);
            note("returned");

            assertThat(this.steps)
                    .containsExactly("begin locked", "body locked", "committed locked", "returned unlocked");
            assertThat(entries(context.getBean(JdbcTemplate.class))).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, false"})
    void shouldUnlockAfterRollback(boolean aspectj, boolean proxyTargetClass) {
        application(aspectj, proxyTargetClass).run(context -> {
            assertThatIllegalStateException()
                    .isThrownBy(() -> context.getBean(Ledger.class).book(true));
            note("returned");

            assertThat(this.steps)
                    .containsExactly("begin locked", "body locked", "rolled back locked", "returned unlocked");
            assertThat(entries(context.getBean(JdbcTemplate.class))).isZero();
        });
    }

    @Test
    void shouldRefuseTheCommitWhenTheLockIsLost() {
        application(true, true)
                .withPropertyValues("distributed-lock.watchdog.timeout=900ms")
                .run(context -> {
                    assertThatExceptionOfType(LockLostException.class)
                            .isThrownBy(() -> context.getBean(Ledger.class).bookAndLose());

                    assertThat(this.steps).contains("rolled back unlocked").doesNotContain("committed unlocked");
                    assertThat(entries(context.getBean(JdbcTemplate.class))).isZero();
                });
    }

    private ApplicationContextRunner application(boolean aspectj, boolean proxyTargetClass) {
        ApplicationContextRunner application = TestContexts.application(this.redis)
                .withPropertyValues(
                        "spring.datasource.generate-unique-name=true",
                        "spring.aop.proxy-target-class=" + proxyTargetClass)
                .withBean(TransactionExecutionListener.class, TransactionSteps::new)
                .withBean(Notes.class, () -> this::note)
                .withBean(JdbcLedger.class);
        return aspectj ? application : application.withClassLoader(new FilteredClassLoader("org.aspectj"));
    }

    private void note(String step) {
        boolean locked = this.cli.exists("lock:{ledger}");
        this.steps.add(step + (locked ? " locked" : " unlocked"));
    }

    private static int entries(JdbcTemplate jdbc) {
        Integer entries = jdbc.queryForObject("select count(*) from entry", Integer.class);
        return entries != null ? entries : -1;
    }

    private final class TransactionSteps implements TransactionExecutionListener {

        @Override
        public void beforeBegin(TransactionExecution transaction) {
            note("begin");
        }

        @Override
        public void afterCommit(TransactionExecution transaction, Throwable failure) {
            note("committed");
        }

        @Override
        public void afterRollback(TransactionExecution transaction, Throwable failure) {
            note("rolled back");
        }
    }

    public interface Notes {

        void note(String step);
    }

    // Public, because the proxies of a filtering class loader are in a package of their own.
    public interface Ledger {

        void book(boolean fail);

        void bookAndLose();
    }

    public static class JdbcLedger implements Ledger {

        private final JdbcTemplate jdbc;

        private final Notes notes;

        private final LockRegistry locks;

        public JdbcLedger(JdbcTemplate jdbc, Notes notes, LockRegistry locks) {
            this.jdbc = jdbc;
            this.notes = notes;
            this.locks = locks;
        }

        @DistributedLock(name = "ledger")
        @Transactional
        @Override
        public void book(boolean fail) {
            this.jdbc.update("insert into entry values (1)");
            this.notes.note("body");
            if (fail) {
                throw new IllegalStateException("booked twice");
            }
        }

        @DistributedLock(name = "ledger")
        @Transactional
        @Override
        public void bookAndLose() {
            this.jdbc.update("insert into entry values (1)");
            this.locks.getLock("ledger").forceUnlock();
            LeaseContext.required()
                    .lost()
                    .toCompletableFuture()
                    .orTimeout(10, TimeUnit.SECONDS)
                    .join();
        }
    }
}
