package io.github.lockstarter.benchmarks.faults;

import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.LockExecutor;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;
import com.baomidou.lock.executor.RedissonLockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import io.github.lockstarter.testsupport.history.AcquireRequest;
import io.github.lockstarter.testsupport.history.HeldLock;
import io.github.lockstarter.testsupport.history.LockUnderTest;
import io.github.lockstarter.testsupport.history.Timing;
import java.util.List;
import java.util.Optional;
import org.redisson.api.RedissonClient;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** lock4j's {@code LockTemplate}, with the expiry that a plain {@code @Lock4j} passes, so that both executors renew. */
final class Lock4jLocks implements LockUnderTest {

    /** The default of the attribute {@code expire}. */
    private static final long RENEWED = -1;

    private final LockTemplate template = new LockTemplate();

    private final Timing timing;

    private final Runnable closing;

    private Lock4jLocks(LockExecutor<?> executor, Lock4jProperties properties, Timing timing, Runnable closing) {
        this.template.setProperties(properties);
        this.template.setExecutors(List.of(executor));
        try {
            this.template.afterPropertiesSet();
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
        this.timing = timing;
        this.closing = closing;
    }

    static Lock4jLocks overRedisson(int port, Timing timing) {
        RedissonClient redisson = Redis.redisson(port, timing);
        return new Lock4jLocks(new RedissonLockExecutor(redisson), properties(timing), timing, redisson::shutdown);
    }

    static Lock4jLocks overRedisTemplate(int port, Timing timing) {
        LettuceConnectionFactory connections = Redis.lettuce(port, timing);
        Lock4jProperties properties = properties(timing);
        return new Lock4jLocks(
                new RedisTemplateLockExecutor(new StringRedisTemplate(connections), properties),
                properties,
                timing,
                connections::destroy);
    }

    private static Lock4jProperties properties(Timing timing) {
        Lock4jProperties properties = new Lock4jProperties();
        properties.setExpire(timing.lease().toMillis());
        return properties;
    }

    @Override
    public Optional<HeldLock> tryAcquire(AcquireRequest request) {
        // The loop of the template reports an interrupt as a failure.
        return ExpiringLock.call(() -> Optional.ofNullable(this.template.lock(
                        request.lock(), RENEWED, request.waitTime().toMillis())))
                .map(granted -> new ExpiringLock(
                        HeldLock.NO_TOKEN,
                        this.timing.lease(),
                        this.timing,
                        null,
                        () -> this.template.releaseLock(granted)));
    }

    @Override
    public void close() {
        this.closing.run();
    }
}
