package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import io.github.lockstarter.store.redis.RedisStoreSettings.MessageMode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.UnaryOperator;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** This library, put together as its auto-configuration does, and used through its public API only. */
class LockStarterClient implements LockClient {

    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(30);

    private final LettuceConnectionFactory connections;

    private final LeasingLockRegistry registry;

    private LockStarterClient(
            LettuceConnectionFactory connections, LockSettings settings, UnaryOperator<LockStore> changeStore) {
        this(connections, settings, changeStore, 0);
    }

    private LockStarterClient(
            LettuceConnectionFactory connections,
            LockSettings settings,
            UnaryOperator<LockStore> changeStore,
            int confirmReplicas) {
        this.connections = connections;
        RedisStoreSettings redis = new RedisStoreSettings(
                "lock",
                settings.commandTimeout(),
                true,
                settings.pollInterval(),
                true,
                true,
                confirmReplicas,
                MessageMode.AUTO);
        this.registry = new LeasingLockRegistry(
                changeStore.apply(new RedisLockStore(connections, redis)), settings, null, List.of());
        this.registry.start();
    }

    /** With its defaults, but for what is changed in them. */
    static LockClient open(ClientSettings settings, UnaryOperator<LockSettings> change) {
        return new LockStarterClient(
                Connections.open(settings), change.apply(defaults(settings)), UnaryOperator.identity());
    }

    /** With blocking calls over Lettuce's asynchronous API. */
    static LockClient openAsynchronous(ClientSettings settings) {
        return new LockStarterClient(Connections.open(settings), defaults(settings), AsynchronousStore::new);
    }

    /** With an acquire after each message about a grant. */
    static LockClient openWithHints(ClientSettings settings) {
        return new LockStarterClient(Connections.open(settings), defaults(settings), HintStore::new);
    }

    /** With grants that so many replicas confirm. */
    static LockClient openConfirming(ClientSettings settings, int replicas) {
        return new LockStarterClient(
                Connections.open(settings), defaults(settings), UnaryOperator.identity(), replicas);
    }

    /** Held locks are leases that belong to no thread. */
    static LockClient openForAcquire(ClientSettings settings) {
        return new LockStarterClient(Connections.open(settings), defaults(settings), UnaryOperator.identity()) {
            @Override
            public Object hold(String name) throws InterruptedException {
                return registry().acquire(LockRequest.of(name));
            }
        };
    }

    private static LockSettings defaults(ClientSettings settings) {
        return LockSettings.of(settings.leaseOr(DEFAULT_TIMEOUT));
    }

    LockRegistry registry() {
        return this.registry;
    }

    @Override
    public Lock getLock(String name) {
        return this.registry.getLock(name);
    }

    @Override
    public ReadWriteLock getReadWriteLock(String name) {
        return this.registry.getReadWriteLock(name);
    }

    @Override
    public Runnable takePermit(String name, int permits) throws InterruptedException {
        Lease permit = this.registry
                .getSemaphore(name, permits)
                .tryAcquire(1, LockRequest.FOREVER)
                .orElseThrow();
        return permit::close;
    }

    @Override
    public CompletionStage<AsyncHold> holdAsync(String name) {
        return this.registry.acquireAsync(LockRequest.of(name)).thenApply(lease -> lease::releaseAsync);
    }

    @Override
    public long token(Lock held) {
        return ((LeaseLock) held).currentLease().fencingToken();
    }

    @Override
    public void close() {
        this.registry.stop();
        this.connections.destroy();
    }
}
