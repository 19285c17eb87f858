package io.github.lockstarter.test;

import io.github.lockstarter.LockHealth;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Waits at the start of the context until the Redis process has replied to the registry. An application starts without
 * a connection after some seconds; on a busy machine a test would begin then, and its locks would fail.
 */
final class FirstReply implements SmartLifecycle {

    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static final long PAUSE_MILLIS = 10;

    /** Returns {@code null} if there is no registry. */
    private final Supplier<@Nullable LockHealth> health;

    private volatile boolean running;

    FirstReply(Supplier<@Nullable LockHealth> health) {
        this.health = health;
    }

    @Override
    public void start() {
        this.running = true;
        long deadline = System.nanoTime() + LIMIT.toNanos();
        try {
            // The health asks again when its last question is a second old.
            for (LockHealth known = this.health.get();
                    known != null && known.lastAnswer() == null && System.nanoTime() - deadline < 0;
                    known = this.health.get()) {
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop() {
        this.running = false;
    }

    @Override
    public boolean isRunning() {
        return this.running;
    }

    /** Follows the registry, and precedes servers and scheduled tasks. */
    @Override
    public int getPhase() {
        return LeasingLockRegistry.PHASE + 1;
    }
}
