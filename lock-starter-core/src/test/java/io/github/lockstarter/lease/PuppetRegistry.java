package io.github.lockstarter.lease;

import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.lease.settings.HandOffSettings;
import io.github.lockstarter.lease.settings.LockSettings;
import io.github.lockstarter.lease.support.LeaseClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A registry over a store in which a test can intervene. */
@Timeout(60)
abstract class PuppetRegistry {

    static final String NAME = "orders:42";

    static final Duration TIMEOUT = Duration.ofSeconds(1);

    static final Duration LONG = Duration.ofSeconds(60);

    /** Each release goes to the store. */
    static final HandOffSettings NEVER = new HandOffSettings(Duration.ZERO, 0);

    private final PuppetStore store = new PuppetStore();

    private LeasingLockRegistry registry;

    PuppetStore store() {
        return this.store;
    }

    LeasingLockRegistry registry(LockListener... listeners) {
        return registry(settings(TIMEOUT, Duration.ofSeconds(10)), LeaseClock.SYSTEM, listeners);
    }

    LeasingLockRegistry registry(LockSettings settings, LeaseClock clock, LockListener... listeners) {
        this.registry = new LeasingLockRegistry(this.store, settings, null, List.of(listeners), null, clock);
        this.registry.start();
        return this.registry;
    }

    static LockSettings settings(Duration timeout, Duration shutdownTimeout) {
        return LockSettings.of(
                Duration.ofSeconds(10),
                OnLost.THROW,
                timeout,
                timeout.dividedBy(4),
                null,
                timeout.dividedBy(4),
                Duration.ofMillis(100),
                shutdownTimeout);
    }

    /** Looks of their own come so seldom that whoever asks in time has been told to. */
    static LockSettings seldom(LockSettings settings) {
        return polling(settings, Duration.ofSeconds(50));
    }

    /** Renewed as often, but leases do not end while a thread waits for its turn on the processor. */
    static LockSettings lasting(LockSettings settings) {
        return LockSettings.of(
                settings.waitTime(),
                settings.onLost(),
                LONG,
                settings.renewInterval(),
                settings.maxHold(),
                settings.commandTimeout(),
                settings.pollInterval(),
                settings.shutdownTimeout());
    }

    static LockSettings polling(LockSettings settings, Duration pollInterval) {
        return new LockSettings(
                settings.waitTime(),
                settings.onLost(),
                settings.watchdogTimeout(),
                settings.renewInterval(),
                settings.maxHold(),
                settings.commandTimeout(),
                pollInterval,
                settings.shutdownTimeout(),
                settings.handOff(),
                settings.releaseMode(),
                settings.logKeys(),
                settings.application(),
                settings.warnOnUnlockInTransaction(),
                settings.named());
    }

    static LockRequest request() {
        return LockRequest.of(NAME);
    }

    static ConditionFactory eventually() {
        return Awaitility.await()
                .pollInSameThread()
                .atMost(Duration.ofSeconds(20))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5));
    }

    static ConditionFactory throughout(Duration time) {
        return eventually().during(time);
    }

    @AfterEach
    void stop() {
        this.store.onAcquire(PuppetStore.Call::make);
        this.store.onRelease(PuppetStore.Call::make);
        this.store.onRenew((renewals, real) -> real.run());
        this.store.answerLater(CompletableFuture.completedFuture(null));
        if (this.registry != null) {
            this.registry.stop();
        }
    }
}
