package io.github.lockstarter.benchmarks.client;

import java.util.concurrent.locks.Lock;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's {@code RLock} with its defaults. */
final class RedissonLockClient implements LockClient {

    private final RedissonClient redisson;

    private RedissonLockClient(RedissonClient redisson) {
        this.redisson = redisson;
    }

    static LockClient open(ClientSettings settings) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://" + ClientSettings.HOST + ":" + settings.port());
        if (settings.lease() != null) {
            config.setLockWatchdogTimeout(settings.lease().toMillis());
        }
        return new RedissonLockClient(Redisson.create(config));
    }

    @Override
    public Lock getLock(String name) {
        return this.redisson.getLock(name);
    }

    @Override
    public void close() {
        this.redisson.shutdown();
    }
}
