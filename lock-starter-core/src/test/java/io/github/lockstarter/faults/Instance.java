package io.github.lockstarter.faults;

import static io.github.lockstarter.faults.Waiting.within;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.lease.LeasingLockRegistry;
import io.github.lockstarter.store.redis.RedisLockStore;
import java.time.Duration;
import java.util.List;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** What an instance of an application has: a registry, with connections and a listener of its own. */
final class Instance implements AutoCloseable {

    private final LettuceConnectionFactory connections;

    private final EventLog events = new EventLog();

    private final LeasingLockRegistry registry;

    private Instance(Setup setup, int port) {
        this.connections = setup.connectionFactory(port);
        this.connections.afterPropertiesSet();
        this.connections.start();
        this.registry = new LeasingLockRegistry(
                new RedisLockStore(this.connections, setup.storeSettings()),
                setup.lockSettings(),
                setup.meters(),
                List.of(this.events));
    }

    static Instance start(int port, Setup setup) {
        Instance instance = new Instance(setup, port);
        instance.registry.start();
        if (setup.isReachable()) {
            // the first connection of a JVM can take longer than a command may
            within(Duration.ofSeconds(10))
                    .ignoreExceptions()
                    .until(() -> !instance.lock("warm-up").isLocked());
        }
        return instance;
    }

    LockRegistry registry() {
        return this.registry;
    }

    LeaseLock lock(String name) {
        return this.registry.getLock(name);
    }

    EventLog events() {
        return this.events;
    }

    /** Leases that are live, as the gauge shows it. */
    int active() {
        return this.registry.active();
    }

    /** Acquisitions that wait, as the gauge shows it. */
    int waiting() {
        return this.registry.waiting();
    }

    /** The connections of the application. */
    LettuceConnectionFactory connections() {
        return this.connections;
    }

    void stop() {
        this.registry.stop();
    }

    void startAgain() {
        this.registry.start();
    }

    @Override
    public void close() {
        this.registry.stop();
        this.connections.destroy();
    }
}
