package io.github.lockstarter.aop;

import io.github.lockstarter.aop.metadata.LockedMethod;
import io.github.lockstarter.aop.metadata.LockedType;
import io.github.lockstarter.text.LockLog;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/** Says which methods run without their lock while locks are switched off. */
final class DisabledLocks {

    private static final LockLog logger = LockLog.of(DistributedLockBeanPostProcessor.class);

    private final Set<String> unreported = new ConcurrentSkipListSet<>();

    private final Set<String> all = new ConcurrentSkipListSet<>();

    private volatile boolean started;

    void add(LockedType type) {
        for (LockedMethod locked : type.methods()) {
            String method = locked.site().shortText();
            if (this.all.add(method)) {
                this.unreported.add(method);
            }
        }
        // Beans that are made later, on first use, are no part of the list at start.
        if (this.started) {
            report();
        }
    }

    void started() {
        this.started = true;
        report();
    }

    private void report() {
        Set<String> methods = new ConcurrentSkipListSet<>(this.unreported);
        this.unreported.removeAll(methods);
        if (!methods.isEmpty()) {
            logger.warn("Distributed locks are switched off (distributed-lock.enabled=false)."
                    + " These methods run WITHOUT their lock: " + String.join(", ", methods));
        }
    }
}
