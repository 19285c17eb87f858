package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.AcquireRequest;
import io.github.lockstarter.testsupport.history.HeldLock;
import io.github.lockstarter.testsupport.history.LockFailureException;
import io.github.lockstarter.testsupport.history.LockUnderTest;
import io.github.lockstarter.testsupport.history.Timing;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's {@code RedisLockRegistry}, which renews if it is given a scheduler. */
final class SpringIntegrationLocks implements LockUnderTest {

    private final LettuceConnectionFactory connections;

    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

    private final RedisLockRegistry registry;

    private final Timing timing;

    private final boolean renewing;

    SpringIntegrationLocks(int port, Timing timing, boolean renewing) {
        this.connections = Redis.lettuce(port, timing);
        this.registry = new RedisLockRegistry(this.connections, "lock", timing.lease());
        this.timing = timing;
        this.renewing = renewing;
        if (renewing) {
            this.scheduler.afterPropertiesSet();
            this.registry.setRenewalTaskScheduler(this.scheduler);
        }
    }

    @Override
    public Optional<HeldLock> tryAcquire(AcquireRequest request) throws InterruptedException {
        try {
            Lock lock = this.registry.obtain(request.lock());
            return lock.tryLock(request.waitTime().toMillis(), TimeUnit.MILLISECONDS)
                    ? Optional.of(new ExpiringLock(
                            HeldLock.NO_TOKEN, this.timing.lease(), this.timing, null, () -> unlock(lock)))
                    : Optional.empty();
        } catch (RuntimeException ex) {
            throw new LockFailureException(ex, true);
        }
    }

    private static boolean unlock(Lock lock) {
        try {
            lock.unlock();
            return true;
        } catch (ConcurrentModificationException ex) {
            return false;
        }
    }

    @Override
    public boolean isRenewing() {
        return this.renewing;
    }

    @Override
    public void close() {
        this.registry.destroy();
        if (this.renewing) {
            this.scheduler.destroy();
        }
        this.connections.destroy();
    }
}
