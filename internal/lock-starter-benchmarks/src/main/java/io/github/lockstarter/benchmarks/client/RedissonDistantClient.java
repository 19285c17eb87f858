package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.benchmarks.client.LockClient.AsyncHold;
import io.github.lockstarter.testsupport.RedisCli;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNodes;
import org.redisson.config.Config;

/** An instance of Redisson, with its defaults except for the lease. */
public final class RedissonDistantClient implements DistantClient {

    private static final Duration LEASE = Duration.ofMinutes(10);

    private final RedissonClient redisson;

    /** Redisson asks for the number of a thread; each hold has one of its own, larger than that of any thread. */
    private final AtomicLong owners = new AtomicLong(1L << 32);

    public RedissonDistantClient(int port) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://" + ClientSettings.HOST + ":" + port);
        config.setLockWatchdogTimeout(LEASE.toMillis());
        this.redisson = Redisson.create(config);
    }

    @Override
    public void ping() {
        boolean unused =
                this.redisson.getRedisNodes(RedisNodes.SINGLE).getInstance().ping();
    }

    @Override
    public Runnable lock(String name) {
        RLock lock = this.redisson.getLock(name);
        lock.lock();
        return lock::unlock;
    }

    @Override
    public void withAll(List<String> names, Runnable body) {
        RLock all = this.redisson.getMultiLock(
                names.stream().map(this.redisson::getLock).toArray(RLock[]::new));
        all.lock();
        try {
            body.run();
        } finally {
            all.unlock();
        }
    }

    @Override
    public CompletionStage<AsyncHold> acquireAsync(Kind kind, String name) {
        return switch (kind) {
            case LOCK -> acquireAsync(this.redisson.getLock(name));
            case WRITER -> acquireAsync(this.redisson.getReadWriteLock(name).writeLock());
            case READER -> acquireAsync(this.redisson.getReadWriteLock(name).readLock());
            case PERMIT -> {
                RPermitExpirableSemaphore semaphore = this.redisson.getPermitExpirableSemaphore(name);
                yield semaphore
                        .acquireAsync(LEASE.toMillis(), TimeUnit.MILLISECONDS)
                        .thenApply(permit -> () -> semaphore.releaseAsync(permit));
            }
        };
    }

    private CompletionStage<AsyncHold> acquireAsync(RLock lock) {
        long owner = this.owners.incrementAndGet();
        return lock.lockAsync(owner).thenApply(granted -> () -> lock.unlockAsync(owner));
    }

    /** Creates the semaphore with one permit, if it does not exist. */
    public void createSemaphore(String name) {
        boolean unused = this.redisson.getPermitExpirableSemaphore(name).trySetPermits(1);
    }

    /** Its waiters subscribe to a channel of the lock. */
    @Override
    public boolean isWaiting(RedisCli cli, String name) {
        List<?> channels = (List<?>) Objects.requireNonNull(cli.command("PUBSUB", "CHANNELS", "*{" + name + "}*"));
        return !channels.isEmpty();
    }

    @Override
    public void close() {
        this.redisson.shutdown();
    }
}
