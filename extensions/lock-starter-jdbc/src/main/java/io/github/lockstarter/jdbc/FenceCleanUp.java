package io.github.lockstarter.jdbc;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.text.LockLog;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Deletes rows that are no longer needed: a minute or two after the start, and then ten times in a retention, at least
 * once a day. One instance at a time does it, under a lock. Its thread is daemon and belongs to it alone.
 */
final class FenceCleanUp implements SmartLifecycle {

    private static final LockLog logger = LockLog.of(FenceCleanUp.class);

    private static final LockRequest LOCK = LockRequest.of("lock-starter-fence-clean-up")
            .withWaitTime(Duration.ZERO)
            .withMaxHold(Duration.ofMinutes(10));

    private static final Duration MAX_PERIOD = Duration.ofDays(1);

    /** So that instances which are started together do not ask at the same time. */
    private static final int FIRST_DELAY_SECONDS = 60;

    private final LockRegistry registry;

    private final FenceTables tables;

    private final byte[] prefix;

    private final Duration period;

    /**
     * {@code null} if the clean-up is stopped. The field is changed by the lifecycle of the context, one call after the
     * other.
     */
    private volatile @Nullable ThreadPoolTaskScheduler scheduler;

    /**
     * Creates a clean-up.
     *
     * @param keyPrefix prefix of the locks whose rows are deleted
     * @param retention of the tables
     */
    FenceCleanUp(LockRegistry registry, FenceTables tables, String keyPrefix, Duration retention) {
        this.registry = registry;
        this.tables = tables;
        // Another application may use the table with another retention.
        this.prefix = (keyPrefix + ":{").getBytes(StandardCharsets.UTF_8);
        Duration tenth = retention.dividedBy(10);
        this.period = tenth.compareTo(MAX_PERIOD) < 0 ? tenth : MAX_PERIOD;
    }

    /** Deletes old rows of all tables, unless another instance does. */
    void run() {
        try {
            Optional<Lease> granted = this.registry.tryAcquire(LOCK);
            if (granted.isPresent()) {
                try (Lease lease = granted.get()) {
                    for (FenceTable table : this.tables.all()) {
                        int deleted = table.deleteOld(this.prefix, lease::isHeld);
                        if (deleted > 0) {
                            logger.debug(deleted + " old rows were deleted from " + table + '.');
                        }
                    }
                }
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (SQLException | LockException ex) {
            logger.warn(
                    "Old rows of fenced transactions could not be deleted; this is repeated later: " + ex.getMessage(),
                    ex);
        }
    }

    @Override
    public void start() {
        ThreadPoolTaskScheduler created = new ThreadPoolTaskScheduler();
        created.setThreadNamePrefix("lock-fence-");
        created.setDaemon(true);
        created.initialize();
        int delay = FIRST_DELAY_SECONDS + ThreadLocalRandom.current().nextInt(FIRST_DELAY_SECONDS);
        ScheduledFuture<?> unused =
                created.scheduleWithFixedDelay(this::run, Instant.now().plusSeconds(delay), this.period);
        this.scheduler = created;
    }

    @Override
    public void stop() {
        ThreadPoolTaskScheduler present = this.scheduler;
        this.scheduler = null;
        if (present != null) {
            present.shutdown();
        }
    }

    @Override
    public boolean isRunning() {
        return this.scheduler != null;
    }

    /** Stops before the registry of locks. */
    @Override
    public int getPhase() {
        return LeasingLockRegistry.PHASE + 1;
    }
}
