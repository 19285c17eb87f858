package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;

/**
 * Hands a private lock over in the background when the application is ready, so that the JVM has compiled the code of
 * hand-overs before locks of the application are handed over. It never fails the application: whatever ends it is
 * logged at DEBUG.
 */
final class HandOverWarmUp {

    /** The JVM compiles a method after 200 calls. */
    private static final int HAND_OVERS = 300;

    private static final Duration PAUSE = Duration.ofMillis(10);

    private static final LockLog logger = LockLog.of(HandOverWarmUp.class);

    private final ApplicationContext context;

    private final ObjectProvider<LeasingLockRegistry> registry;

    /** {@code null} before the application is ready. */
    private final AtomicReference<@Nullable Thread> thread = new AtomicReference<>();

    HandOverWarmUp(ApplicationContext context, ObjectProvider<LeasingLockRegistry> registry) {
        this.context = context;
        this.registry = registry;
    }

    @EventListener
    void ready(ApplicationReadyEvent event) {
        // A registry that the application has replaced has no hand-overs of this library.
        this.registry.ifUnique(present -> {
            Thread created = new Thread(() -> warmUp(present), "lock-warm-up");
            created.setDaemon(true);
            if (this.thread.compareAndSet(null, created)) {
                created.start();
            }
        });
    }

    private static void warmUp(LeasingLockRegistry registry) {
        long began = System.nanoTime();
        try {
            int done = registry.warmUp(HAND_OVERS, PAUSE);
            logger.debug("The warm-up has handed a private lock over " + done + " times in "
                    + Duration.ofNanos(System.nanoTime() - began).toMillis() + " ms.");
        } catch (InterruptedException | RuntimeException | Error ex) {
            logger.debug("The warm-up of hand-overs has ended early.", ex);
        }
    }

    /** Events of child contexts arrive here as well. */
    @EventListener
    void closed(ContextClosedEvent event) {
        Thread present = this.thread.get();
        if (present != null && event.getApplicationContext() == this.context) {
            present.interrupt();
        }
    }
}
