package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.engine.AcquisitionIds;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.GrantKind;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.Notice;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.store.StoreListener;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.RedisStoreSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The Redis store of this library without the registry above it: one JVM stands for thousands of holders and waiters of
 * the same lock, which the registry would queue in memory.
 */
public final class StoreClient implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final StoreListener NO_LISTENER = new StoreListener() {

        @Override
        public void granted(String lock, String id, long token) {}

        @Override
        public void notified(String lock, String id, Notice notice) {}

        @Override
        public void messageRejected() {}

        @Override
        public void notificationsMayBeLost() {}

        @Override
        public void serverChanged() {}
    };

    private final AcquisitionIds ids = new AcquisitionIds();

    private final LettuceConnectionFactory connections;

    private final LockStore store;

    /** Opens a store that is ready for waiters. */
    public StoreClient(int port, Duration pollInterval) {
        this(Connections.open(new ClientSettings(port, null, Use.CONTENDED)), pollInterval);
    }

    /** Opens a store that is ready for waiters, in a cluster with nodes at these ports. */
    public StoreClient(List<Integer> ports, Duration pollInterval) {
        this(Connections.open(ports), pollInterval);
    }

    private StoreClient(LettuceConnectionFactory connections, Duration pollInterval) {
        this.connections = connections;
        this.store = new RedisLockStore(this.connections, new RedisStoreSettings("lock", TIMEOUT, true, pollInterval));
        this.store.start(this.ids.instance(), NO_LISTENER);
        String probe = "probe:" + this.ids.instance();
        String owner = nextId(GrantKind.EXCLUSIVE);
        String waiter = nextId(GrantKind.EXCLUSIVE);
        acquire(probe, owner, TIMEOUT, false);
        StringRedisTemplate redis = new StringRedisTemplate(this.connections);
        // The first acquisition that waits begins the subscription; its entry has an inbox after that.
        while (acquire(probe, waiter, TIMEOUT, true) instanceof Reply.Taken
                && String.valueOf(redis.opsForHash().get("lock:{" + probe + '}', "w:" + waiter))
                        .endsWith(":")) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        release(probe, waiter);
        release(probe, owner);
    }

    public Reply acquire(String lockName, String id, Duration lease, boolean join) {
        return this.store.call(new Command.Acquire(lockName, id, lease.toMillis(), join));
    }

    public Reply release(String lockName, String id) {
        return this.store.call(new Command.Release(lockName, id, 0, 0, null));
    }

    public Reply renew(String lockName, String id, Duration lease) {
        return this.store.call(new Command.Renew(lockName, id, lease.toMillis()));
    }

    /** Returns how many locks one command renews. */
    public int renewalBatchSize() {
        return this.store.renewalBatchSize();
    }

    /** Renews these locks, which have ids of the same position; completed with whether all of them were renewed. */
    public CompletionStage<Boolean> renew(List<String> lockNames, List<String> ids, Duration lease) {
        List<Command.Renew> renewals = IntStream.range(0, ids.size())
                .mapToObj(i -> new Command.Renew(lockNames.get(i), ids.get(i), lease.toMillis()))
                .toList();
        return this.store
                .send(new Command.RenewAll(renewals))
                .thenApply(reply -> reply instanceof Reply.RenewedAll all
                        && all.outcomes().stream().allMatch(each -> each == Reply.Renewed.INSTANCE));
    }

    /** Acquires a lock of each of these names; returns the ids. */
    public List<String> acquireAll(List<String> lockNames, Duration lease) {
        return enter(lockNames, GrantKind.EXCLUSIVE, lease, false);
    }

    /** Returns what the question whether the lock is locked returns. */
    public Reply inspect(String lockName) {
        return this.store.call(new Command.Inspect(lockName, true));
    }

    /** The id of a new acquisition of that kind. */
    public String nextId(GrantKind kind) {
        return kind.idOf(this.ids.next());
    }

    /** Many that hold the lock together, or wait in the line of an owner; returns their ids in the order of arrival. */
    public List<String> enter(String lockName, GrantKind kind, int count, Duration lease, boolean join) {
        return enter(Collections.nCopies(count, lockName), kind, lease, join);
    }

    /** Sends an acquisition for each of these names, and waits for all replies. */
    private List<String> enter(List<String> lockNames, GrantKind kind, Duration lease, boolean join) {
        List<String> entered = new ArrayList<>(lockNames.size());
        List<CompletionStage<Reply>> replies = new ArrayList<>(lockNames.size());
        for (String lockName : lockNames) {
            String id = nextId(kind);
            entered.add(id);
            replies.add(this.store.send(new Command.Acquire(lockName, id, lease.toMillis(), join)));
        }
        for (CompletionStage<Reply> stage : replies) {
            Reply reply = stage.toCompletableFuture().join();
            boolean waits = reply instanceof Reply.Taken taken && taken.pollMillis() > 0;
            if (waits != join) {
                throw new IllegalStateException(lockNames.get(0) + ": " + reply);
            }
        }
        return entered;
    }

    @Override
    public void close() {
        this.store.stop();
        this.connections.destroy();
    }
}
