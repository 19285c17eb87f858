package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.testsupport.history.AcquireRequest;
import io.github.lockstarter.testsupport.history.HeldLock;
import io.github.lockstarter.testsupport.history.LockFailureException;
import io.github.lockstarter.testsupport.history.LockUnderTest;
import io.github.lockstarter.testsupport.history.Timing;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Redisson's {@code RLock} or {@code RFencedLock}, renewed by its watchdog. */
final class RedissonLocks implements LockUnderTest {

    private final RedissonClient redisson;

    private final Timing timing;

    private final boolean fenced;

    RedissonLocks(int port, Timing timing, boolean fenced) {
        this.redisson = Redis.redisson(port, timing);
        this.timing = timing;
        this.fenced = fenced;
    }

    @Override
    public Optional<HeldLock> tryAcquire(AcquireRequest request) throws InterruptedException {
        try {
            return this.fenced ? tryAcquireFenced(request) : tryAcquirePlain(request);
        } catch (RuntimeException ex) {
            throw new LockFailureException(ex, true);
        }
    }

    private Optional<HeldLock> tryAcquirePlain(AcquireRequest request) throws InterruptedException {
        RLock lock = this.redisson.getLock(request.lock());
        return lock.tryLock(request.waitTime().toMillis(), TimeUnit.MILLISECONDS)
                ? Optional.of(held(lock, HeldLock.NO_TOKEN))
                : Optional.empty();
    }

    private Optional<HeldLock> tryAcquireFenced(AcquireRequest request) {
        RFencedLock lock = this.redisson.getFencedLock(request.lock());
        @Nullable Long token = lock.tryLockAndGetToken(request.waitTime().toMillis(), TimeUnit.MILLISECONDS);
        return token != null ? Optional.of(held(lock, token)) : Optional.empty();
    }

    private HeldLock held(RLock lock, long token) {
        return new ExpiringLock(
                token, this.timing.lease(), this.timing, lock::isHeldByCurrentThread, () -> unlock(lock));
    }

    private static boolean unlock(RLock lock) {
        try {
            lock.unlock();
            return true;
        } catch (IllegalMonitorStateException ex) {
            return false;
        }
    }

    @Override
    public void close() {
        this.redisson.shutdown();
    }
}
