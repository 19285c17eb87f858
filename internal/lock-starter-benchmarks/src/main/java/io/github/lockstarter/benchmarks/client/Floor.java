package io.github.lockstarter.benchmarks.client;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * The least that a lock over this client can cost: one script that takes the key, one that gives it back. No renewal,
 * no waking, no reentrancy. Under contention: a fair gate per JVM, and polling by the one thread that is through it.
 */
final class Floor implements LockClient {

    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

    private static final RedisScript<Long> ACQUIRE = RedisScript.of("""
            if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
                return 1
            end
            return 0
            """, Long.class);

    private static final RedisScript<Long> RELEASE = RedisScript.of("""
            if redis.call('get', KEYS[1]) == ARGV[1] then
                return redis.call('del', KEYS[1])
            end
            return 0
            """, Long.class);

    private final LettuceConnectionFactory connections;

    private final StringRedisTemplate redis;

    private final String leaseMillis;

    private final boolean gated;

    private final ConcurrentMap<String, ReentrantLock> gates = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();

    private final AtomicLong acquisitions = new AtomicLong();

    private Floor(LettuceConnectionFactory connections, Duration lease, boolean gated) {
        this.connections = connections;
        this.redis = new StringRedisTemplate(connections);
        this.leaseMillis = Long.toString(lease.toMillis());
        this.gated = gated;
    }

    static LockClient open(ClientSettings settings) {
        return new Floor(Connections.open(settings), settings.leaseOr(DEFAULT_LEASE), settings.use() == Use.CONTENDED);
    }

    @Override
    public Lock getLock(String name) {
        PollingLock lock = new PollingLock(this, name);
        return this.gated
                ? new GatedLock(this.gates.computeIfAbsent(name, key -> new ReentrantLock(true)), lock)
                : lock;
    }

    String nextToken() {
        return this.id + this.acquisitions.incrementAndGet();
    }

    boolean acquire(String key, String token) {
        return Long.valueOf(1).equals(this.redis.execute(ACQUIRE, List.of(key), token, this.leaseMillis));
    }

    boolean release(String key, String token) {
        return Long.valueOf(1).equals(this.redis.execute(RELEASE, List.of(key), token));
    }

    @Override
    public void close() {
        this.connections.destroy();
    }
}
