package io.github.lockstarter.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** ShedLock's own tests for providers, and what they leave out, on real Redis. */
@RedisTest
@Timeout(60)
class LeaseLockProviderTest extends AbstractExtensibleLockProviderIntegrationTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    /** Default of other locks. */
    private static final Duration WAIT = Duration.ofSeconds(20);

    /** Ends in a test, and not before the reply is there on a busy machine. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    private final RedisServer redis;

    private final RedisCli cli;

    private final LettuceConnectionFactory factory;

    private final LeasingLockRegistry registry;

    LeaseLockProviderTest(RedisServer redis, RedisCli cli) {
        this.redis = redis;
        this.cli = cli;
        this.factory = new LettuceConnectionFactory(redis.host(), redis.port());
        this.factory.afterPropertiesSet();
        this.factory.start();
        // Nothing to wait for at the end: many tests of ShedLock's leave their locks behind.
        LockSettings settings =
                LockSettings.of(WAIT, OnLost.THROW, Duration.ofSeconds(30), null, null, null, null, Duration.ZERO);
        this.registry = new LeasingLockRegistry(
                new RedisLockStore(
                        this.factory,
                        new RedisStoreSettings("lock", settings.commandTimeout(), true, Duration.ofSeconds(1))),
                settings,
                null,
                List.of());
        this.registry.start();
    }

    @AfterEach
    void close() {
        this.registry.stop();
        this.factory.destroy();
    }

    @Override
    protected ExtensibleLockProvider getLockProvider() {
        return new LeaseLockProvider(this.registry);
    }

    @Override
    protected void assertLocked(String lockName) {
        assertThat(this.cli.exists(key(lockName))).isTrue();
    }

    @Override
    protected void assertUnlocked(String lockName) {
        assertThat(this.cli.exists(key(lockName))).isFalse();
    }

    private static String key(String lockName) {
        return "lock:{" + lockName + '}';
    }

    /** With a longer lease: 2 ms can be over before the answer is here, and then the lock was never granted. */
    @Test
    @Override
    public void shouldNotBeAbleToExtendExpiredLock() {
        SimpleLock lock = lock(SHORT, Duration.ZERO);
        await().until(() -> !this.cli.exists(key(LOCK_NAME1)));

        assertThat(lock.extend(LONG, Duration.ZERO)).isEmpty();

        assertUnlocked(LOCK_NAME1);
    }

    /** With longer leases, for the same reason. */
    @Test
    @Override
    public void shouldTimeout() {
        lock(SHORT, Duration.ZERO);
        assertThat(this.cli.pttl(key(LOCK_NAME1))).isBetween(0L, SHORT.toMillis());

        await().until(() -> !this.cli.exists(key(LOCK_NAME1)));

        lock(LONG, Duration.ZERO).unlock();
    }

    @Test
    void shouldTryOnceWhateverTheDefaultOfOtherLocksIs() {
        lock(LONG, Duration.ZERO);
        long askedAt = System.nanoTime();

        assertThat(getLockProvider().lock(lockConfig(LOCK_NAME1, LONG, Duration.ZERO)))
                .as("a lock that is taken")
                .isEmpty();

        assertThat(Duration.ofNanos(System.nanoTime() - askedAt))
                .as("time of an attempt, without a wait")
                .isLessThan(WAIT.dividedBy(2));
    }

    @Test
    void shouldBeALeaseThatNobodyRenews() {
        lock(LONG, Duration.ofSeconds(50));
        long left = this.cli.pttl(key(LOCK_NAME1));
        assertThat(left).isBetween(35_000L, 60_000L);

        // What a node that dies leaves behind.
        this.registry.stop();

        assertThat(this.cli.pttl(key(LOCK_NAME1))).isBetween(35_000L, left);
    }

    @Test
    void shouldTakeTheMinimumOfTheExtensionInsteadOfTheFirst() {
        SimpleLock lock = lock(LONG, Duration.ofSeconds(50));
        lock.extend(LONG, Duration.ZERO).orElseThrow().unlock();
        assertUnlocked(LOCK_NAME1);

        lock = lock(LONG, Duration.ZERO);
        lock.extend(LONG, Duration.ofSeconds(40)).orElseThrow().unlock();
        assertThat(this.cli.pttl(key(LOCK_NAME1))).isBetween(20_000L, 40_001L);
    }

    @Test
    void shouldNotTakeAwayWhatAnotherHasByNow() {
        SimpleLock late = lock(SHORT, Duration.ZERO);
        await().until(() -> !this.cli.exists(key(LOCK_NAME1)));
        SimpleLock next = lock(LONG, Duration.ZERO);

        late.unlock();

        assertLocked(LOCK_NAME1);
        next.unlock();
        assertUnlocked(LOCK_NAME1);
    }

    @Test
    void shouldSayThatRedisIsSilentAndNotThatTheLockIsTaken() {
        SimpleLock lock = lock(LONG, Duration.ZERO);
        this.redis.pause();

        assertThatExceptionOfType(LockStoreException.class)
                .isThrownBy(() -> getLockProvider().lock(lockConfig("another")));
        assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lock.extend(LONG, Duration.ZERO));

        this.redis.resume();
        lock.unlock();
        await().until(() -> !this.cli.exists(key(LOCK_NAME1)));
    }

    @Test
    void shouldRefuseWhatItCannotDo() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lock(Duration.ZERO, Duration.ZERO))
                .withMessageContaining(LOCK_NAME1);
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(LockInterruptedException.class)
                .isThrownBy(() -> lock(LONG, Duration.ZERO))
                .withMessageContaining(LOCK_NAME1);
        assertThat(Thread.interrupted()).isTrue();
        assertUnlocked(LOCK_NAME1);
    }

    private SimpleLock lock(Duration atMost, Duration atLeast) {
        Optional<SimpleLock> lock = getLockProvider().lock(lockConfig(LOCK_NAME1, atMost, atLeast));
        assertThat(lock).isPresent();
        return lock.orElseThrow();
    }
}
