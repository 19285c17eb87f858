package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.lease.support.AcquisitionIds;
import io.github.lockstarter.store.AcquireReply;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis store of this library without the registry above it: one JVM stands for thousands of holders and waiters of
 * the same lock, which the registry would queue in memory.
 */
public final class StoreClient implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final AcquisitionIds ids = new AcquisitionIds();

    private final WaitingListener listener = new WaitingListener() {

        @Override
        public void handedOver(String lockName) {}

        @Override
        public void missedSome() {}
    };

    private final LettuceConnectionFactory connections;

    private final LockStore store;

    /** Opens a store that is ready for waiters. */
    public StoreClient(int port, Duration pollInterval) {
        this.connections = Connections.open(new ClientSettings(port, null, Use.CONTENDED));
        this.store = new RedisLockStore(this.connections, new RedisStoreSettings("lock", TIMEOUT, true, pollInterval));
        this.store.start(this.ids.instance(), this.listener);
        this.store.prepareWaiting();
        String probe = "probe:" + this.ids.instance();
        String owner = nextId(GrantKind.EXCLUSIVE);
        String waiter = nextId(GrantKind.EXCLUSIVE);
        this.store.acquire(probe, owner, TIMEOUT.toMillis(), false);
        // an acquisition joins a line only after the subscription has begun
        while (this.store.acquire(probe, waiter, TIMEOUT.toMillis(), true) instanceof AcquireReply.Taken taken
                && taken.pollMillis() == 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        this.store.release(probe, waiter, 0, null);
        this.store.release(probe, owner, 0, null);
    }

    public LockStore store() {
        return this.store;
    }

    /** The id of a new acquisition of that kind. */
    public String nextId(GrantKind kind) {
        return kind.idOf(this.ids.next());
    }

    /** Many that hold the lock together, or wait in the line of an owner; returns their ids in the order of arrival. */
    public List<String> enter(String lockName, GrantKind kind, int count, Duration lease, boolean join) {
        List<String> entered = new ArrayList<>(count);
        List<CompletionStage<AcquireReply>> replies = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String id = nextId(kind);
            entered.add(id);
            replies.add(Objects.requireNonNull(this.store.acquireLater(lockName, id, lease.toMillis(), join)));
        }
        for (CompletionStage<AcquireReply> stage : replies) {
            AcquireReply reply = stage.toCompletableFuture().join();
            boolean waits = reply instanceof AcquireReply.Taken taken && taken.pollMillis() > 0;
            if (waits != join) {
                throw new IllegalStateException(lockName + ": " + reply);
            }
        }
        return entered;
    }

    @Override
    public void close() {
        this.store.stop(this.listener);
        this.connections.destroy();
    }
}
