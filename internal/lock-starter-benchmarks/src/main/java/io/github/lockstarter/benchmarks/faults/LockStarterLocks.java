package io.github.lockstarter.benchmarks.faults;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import io.github.lockstarter.testsupport.history.AcquireRequest;
import io.github.lockstarter.testsupport.history.HeldLock;
import io.github.lockstarter.testsupport.history.LockFailureException;
import io.github.lockstarter.testsupport.history.LockUnderTest;
import io.github.lockstarter.testsupport.history.Timing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** lock-starter, with the values of its auto-configuration that belong to the lease and to the time of a command. */
final class LockStarterLocks implements LockUnderTest {

    private final LettuceConnectionFactory connections;

    private final LeasingLockRegistry registry;

    LockStarterLocks(int port, Timing timing, int confirmReplicas) {
        LockSettings settings = LockSettings.of(
                Duration.ofSeconds(10),
                OnLost.THROW,
                timing.lease(),
                null,
                null,
                timing.command(),
                null,
                Duration.ZERO);
        this.connections = Redis.lettuce(port, timing);
        RedisStoreSettings redis = new RedisStoreSettings(
                "lock", timing.command(), true, settings.pollInterval(), true, true, confirmReplicas, MessageMode.AUTO);
        this.registry = new LeasingLockRegistry(new RedisLockStore(this.connections, redis), settings, null, List.of());
        this.registry.start();
    }

    @Override
    public Optional<HeldLock> tryAcquire(AcquireRequest request) throws InterruptedException {
        try {
            return this.registry
                    .tryAcquire(LockRequest.of(request.lock()).withWaitTime(request.waitTime()))
                    .map(Held::new);
        } catch (LockException ex) {
            throw new LockFailureException(ex, ex instanceof LockStoreException store && store.isOutcomeUnknown());
        }
    }

    @Override
    public void close() {
        this.registry.stop();
        this.connections.destroy();
    }

    private record Held(Lease lease) implements HeldLock {

        @Override
        public long token() {
            return this.lease.fencingToken();
        }

        @Override
        public Duration remaining() {
            return this.lease.remaining();
        }

        @Override
        public boolean isHeld() {
            return this.lease.isHeld() && !remaining().isZero();
        }

        @Override
        public void onLoss(Consumer<String> listener) {
            CompletionStage<Void> unused = this.lease.lost().thenAccept(reason -> listener.accept(reason.name()));
        }

        @Override
        public boolean release() {
            return this.lease.release();
        }
    }
}
