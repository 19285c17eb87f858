package io.github.lockstarter.topology;

import static io.github.lockstarter.topology.Waiting.soon;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.lease.LeasingLockRegistry;
import io.github.lockstarter.store.redis.RedisLockStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What an instance of an application has: a registry over a connection factory of its own. */
final class Instance implements AutoCloseable {

    private final LettuceConnectionFactory connections;

    private final Told told = new Told();

    private final LeasingLockRegistry registry;

    private Instance(LettuceConnectionFactory connections, Pace pace) {
        this.connections = connections;
        this.connections.afterPropertiesSet();
        this.connections.start();
        this.registry = new LeasingLockRegistry(
                new RedisLockStore(this.connections, pace.store()), pace.locks(), null, List.of(this.told));
    }

    static Instance start(LettuceConnectionFactory servers, Pace pace) {
        Instance instance = new Instance(servers, pace);
        instance.registry.start();
        // the first connection of a JVM can take longer than a command may
        soon().ignoreExceptions()
                .until(() -> !instance.registry.getLock("warm-up").isLocked());
        return instance;
    }

    LeasingLockRegistry registry() {
        return this.registry;
    }

    Lease acquire(String name) throws InterruptedException {
        return this.registry.acquire(LockRequest.of(name));
    }

    /** Stands in line, without a thread. */
    CompletableFuture<Lease> waitFor(String name) {
        return this.registry.acquireAsync(LockRequest.of(name));
    }

    Told told() {
        return this.told;
    }

    @Override
    public void close() {
        this.registry.stop();
        this.connections.destroy();
    }
}
