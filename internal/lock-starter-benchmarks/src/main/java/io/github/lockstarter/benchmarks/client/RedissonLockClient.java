package io.github.lockstarter.benchmarks.client;

import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.client.DefaultNettyHook;
import org.redisson.config.Config;

/**
 * Redisson's {@code RLock}, {@code RReadWriteLock} and {@code RPermitExpirableSemaphore} with their defaults, except
 * that permits have a lease: without one, those of a crashed JVM are lost.
 */
final class RedissonLockClient implements LockClient {

    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    private final RedissonClient redisson;

    private final long permitMillis;

    private final ConcurrentMap<String, RPermitExpirableSemaphore> semaphores = new ConcurrentHashMap<>();

    /** Larger than the number of any thread. */
    private final AtomicLong owners = new AtomicLong(1L << 32);

    private RedissonLockClient(RedissonClient redisson, Duration permitLease) {
        this.redisson = redisson;
        this.permitMillis = permitLease.toMillis();
    }

    static LockClient open(ClientSettings settings) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://" + ClientSettings.HOST + ":" + settings.port());
        if (settings.lease() != null) {
            config.setLockWatchdogTimeout(settings.lease().toMillis());
        }
        config.setNettyHook(new DefaultNettyHook() {
            @Override
            public void afterChannelInitialization(Channel channel) {
                channel.pipeline().addFirst(Wire.INSTANCE);
            }
        });
        return new RedissonLockClient(Redisson.create(config), settings.leaseOr(DEFAULT_LEASE));
    }

    @Override
    public Lock getLock(String name) {
        return this.redisson.getLock(name);
    }

    @Override
    public ReadWriteLock getReadWriteLock(String name) {
        return this.redisson.getReadWriteLock(name);
    }

    @Override
    public Runnable takePermit(String name, int permits) throws InterruptedException {
        RPermitExpirableSemaphore semaphore = this.semaphores.computeIfAbsent(name, key -> setUp(key, permits));
        String permit = semaphore.acquire(this.permitMillis, TimeUnit.MILLISECONDS);
        return () -> semaphore.release(permit);
    }

    /** Any number of clients may do so: the first one sets the number. */
    private RPermitExpirableSemaphore setUp(String name, int permits) {
        RPermitExpirableSemaphore semaphore = this.redisson.getPermitExpirableSemaphore(name);
        semaphore.trySetPermits(permits);
        return semaphore;
    }

    /** Redisson asks for the number of a thread; each hold has one of its own. */
    @Override
    public CompletionStage<AsyncHold> holdAsync(String name) {
        RLock lock = this.redisson.getLock(name);
        long owner = this.owners.incrementAndGet();
        return lock.lockAsync(owner).thenApply(granted -> () -> lock.unlockAsync(owner));
    }

    @Override
    public void close() {
        this.redisson.shutdown();
    }
}
