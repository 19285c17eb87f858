package io.github.lockstarter.benchmarks.client;

import io.github.lockstarter.registry.ReleaseMode;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Who takes part. A new one is one more constant; each row says whom it leaves out. */
public enum Contender {
    FLOOR("floor", false, Floor::open),
    LOCK_STARTER("lock-starter", true, settings -> LockStarterClient.open(settings, UnaryOperator.identity())),
    LOCK_STARTER_BACKGROUND(
            "lock-starter, background",
            true,
            settings -> LockStarterClient.open(settings, with -> with.withReleaseMode(ReleaseMode.BACKGROUND))),
    LOCK_STARTER_ASYNCHRONOUS("lock-starter, asynchronous API", true, LockStarterClient::openAsynchronous),
    LOCK_STARTER_ACQUIRE("lock-starter, acquire", true, LockStarterClient::openForAcquire),
    LOCK_STARTER_HINTS("lock-starter, messages as hints", false, LockStarterClient::openWithHints),
    LOCK_STARTER_CONFIRM_1(
            "lock-starter, confirm-replicas=1", false, settings -> LockStarterClient.openConfirming(settings, 1)),
    LOCK_STARTER_CONFIRM_2(
            "lock-starter, confirm-replicas=2", false, settings -> LockStarterClient.openConfirming(settings, 2)),
    REDISSON("Redisson", false, RedissonLockClient::open),
    SPRING_PUB_SUB(
            "Spring Integration, pub/sub",
            false,
            settings -> SpringIntegrationClient.open(settings, RedisLockType.PUB_SUB_LOCK)),
    SPRING_DEFAULT_CAPACITY(
            "Spring Integration, pub/sub, default capacity", false, SpringIntegrationClient::openWithDefaultCapacity),
    SPRING_SPIN(
            "Spring Integration, spin",
            false,
            settings -> SpringIntegrationClient.open(settings, RedisLockType.SPIN_LOCK));

    private final String label;

    private final boolean ours;

    // none of them keeps anything
    @SuppressWarnings("ImmutableEnumChecker")
    private final Function<ClientSettings, LockClient> factory;

    Contender(String label, boolean ours, Function<ClientSettings, LockClient> factory) {
        this.label = label;
        this.ours = ours;
        this.factory = factory;
    }

    /** How tables and options call it. */
    public String label() {
        return this.label;
    }

    /** Whether the bounds are meant for it. */
    public boolean isOurs() {
        return this.ours;
    }

    /** Whether it needs a master with replicas. */
    public boolean isConfirming() {
        return this == LOCK_STARTER_CONFIRM_1 || this == LOCK_STARTER_CONFIRM_2;
    }

    /** Whether it keeps fewer locks in memory than the rows without contention use. */
    public boolean isForgetting() {
        return this == SPRING_DEFAULT_CAPACITY;
    }

    public LockClient open(ClientSettings settings) {
        return this.factory.apply(settings);
    }
}
