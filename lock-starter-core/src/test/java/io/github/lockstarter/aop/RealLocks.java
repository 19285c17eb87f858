package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import io.github.lockstarter.store.LockStore;
import java.time.Duration;
import java.util.List;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** An application with the post-processor and a registry of real locks, in memory by default. */
public final class RealLocks implements AutoCloseable {

    /** Leases that are renewed often, and do not end because a thread waits for its turn on a busy machine. */
    private static final LockSettings LASTING = LockSettings.of(
            Duration.ofSeconds(10),
            OnLost.THROW,
            Duration.ofSeconds(15),
            Duration.ofMillis(300),
            null,
            Duration.ofSeconds(2),
            Duration.ofMillis(150),
            Duration.ofSeconds(10));

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    public final LeasingLockRegistry registry;

    public final DistributedLockBeanPostProcessor processor;

    private RealLocks(LockStore store, LockSettings settings, Class<?>... components) {
        this.registry = new LeasingLockRegistry(store, settings, null, List.of());
        this.context.registerBean(LockRegistry.class, () -> this.registry);
        this.processor = new DistributedLockBeanPostProcessor(() -> this.registry, settings);
        this.processor.setProxyTargetClass(true);
        this.context.registerBean(DistributedLockBeanPostProcessor.class, () -> this.processor);
        this.context.register(components);
        this.context.refresh();
    }

    public static RealLocks with(Class<?>... components) {
        return on(new InMemoryLockStore(), LASTING, components);
    }

    public static RealLocks on(LockStore store, Duration lease, Class<?>... components) {
        return on(store, LockSettings.of(lease), components);
    }

    public static RealLocks on(LockStore store, LockSettings settings, Class<?>... components) {
        return new RealLocks(store, settings, components);
    }

    public <T> T bean(Class<T> type) {
        return this.context.getBean(type);
    }

    public boolean isLocked(String lockName) {
        return this.registry.getLock(lockName).isLocked();
    }

    /** Runs the action while another owner holds the lock. */
    public void takenByAnother(String lockName, Runnable meanwhile) {
        try (Lease lease = this.registry.acquire(LockRequest.of(lockName))) {
            meanwhile.run();
        } catch (InterruptedException ex) {
            throw new AssertionError(ex);
        }
    }

    @Override
    public void close() {
        this.context.close();
    }
}
