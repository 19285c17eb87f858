package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.AcquireRequest;
import io.github.lockstarter.testsupport.history.HeldLock;
import io.github.lockstarter.testsupport.history.LockUnderTest;
import io.github.lockstarter.testsupport.history.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** ShedLock's {@code RedisLockProvider}, alone or within its {@code KeepAliveLockProvider}. It does not wait. */
final class ShedLockLocks implements LockUnderTest {

    /** The shortest {@code lockAtMostFor} that {@code KeepAliveLockProvider} accepts. */
    static final Duration MIN_KEPT_ALIVE = Duration.ofSeconds(30);

    private final LettuceConnectionFactory connections;

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();

    private final LockProvider provider;

    private final Timing timing;

    private final Duration lockAtMostFor;

    private ShedLockLocks(int port, Timing timing, Duration lockAtMostFor, boolean safeUpdate) {
        this.connections = Redis.lettuce(port, timing);
        RedisLockProvider plain = new RedisLockProvider.Builder(this.connections)
                .safeUpdate(safeUpdate)
                .build();
        this.provider = lockAtMostFor.equals(MIN_KEPT_ALIVE) ? new KeepAliveLockProvider(plain, this.scheduler) : plain;
        this.timing = timing;
        this.lockAtMostFor = lockAtMostFor;
    }

    static ShedLockLocks plain(int port, Timing timing) {
        return new ShedLockLocks(port, timing, timing.lease(), false);
    }

    /** Opens the provider that does not release the lock of another owner. */
    static ShedLockLocks safe(int port, Timing timing) {
        return new ShedLockLocks(port, timing, timing.lease(), true);
    }

    static ShedLockLocks keptAlive(int port, Timing timing) {
        return new ShedLockLocks(port, timing, MIN_KEPT_ALIVE, false);
    }

    @Override
    public Optional<HeldLock> tryAcquire(AcquireRequest request) {
        LockConfiguration configuration =
                new LockConfiguration(Instant.now(), request.lock(), this.lockAtMostFor, Duration.ZERO);
        return ExpiringLock.call(() -> this.provider.lock(configuration))
                .map(lock ->
                        new ExpiringLock(HeldLock.NO_TOKEN, this.lockAtMostFor, this.timing, null, () -> unlock(lock)));
    }

    /** Reports success, because the method returns nothing. */
    private static boolean unlock(SimpleLock lock) {
        lock.unlock();
        return true;
    }

    @Override
    public boolean isRenewing() {
        return this.provider instanceof KeepAliveLockProvider;
    }

    @Override
    public void close() {
        this.scheduler.shutdownNow();
        this.connections.destroy();
    }
}
