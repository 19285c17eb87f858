package io.github.lockstarter.leader;

import io.github.lockstarter.text.LockLog;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.springframework.aop.support.AopUtils;
import org.springframework.context.SmartLifecycle;

/** The listeners and lifecycle beans of one role. Used on the thread of the role only. */
final class RoleBeans {

    private static final LockLog logger = LockLog.of(RoleBeans.class);

    private static final long POLL_MILLIS = 10;

    private final LeaderElections elections;

    private final String role;

    /** The beans whose start was called, and not their stop. Not all of them report at once that they run. */
    private final Set<SmartLifecycle> started = Collections.newSetFromMap(new IdentityHashMap<>());

    RoleBeans(LeaderElections elections, String role) {
        this.elections = elections;
        this.role = role;
    }

    /** Publishes an event. Throws what a listener throws. */
    void publish(LeadershipEvent event) {
        this.elections.context().publishEvent(event);
    }

    /** Starts the beans of the role, in the order of their phases, while the condition is true. */
    void start(BooleanSupplier whileLeading) {
        for (SmartLifecycle bean : this.elections.beans(this.role)) {
            if (!whileLeading.getAsBoolean()) {
                return;
            }
            this.started.add(bean);
            if (!bean.isRunning()) {
                bean.start();
            }
        }
    }

    /** Returns whether each bean that was started has stopped. */
    boolean haveStopped() {
        return this.started.isEmpty();
    }

    /** Stops the beans of the role, and returns when none of them runs any more. */
    void stop() {
        List<SmartLifecycle> beans = this.elections.beans(this.role);
        for (int i = beans.size() - 1; i >= 0; i--) {
            SmartLifecycle bean = beans.get(i);
            if (this.started.contains(bean) || isRunning(bean)) {
                stop(bean);
                this.started.remove(bean);
            }
        }
    }

    /** Returns when the bean has reported its end, or, if its stop fails, does not run any more. */
    private void stop(SmartLifecycle bean) {
        CountDownLatch stopped = new CountDownLatch(1);
        boolean failed = false;
        try {
            bean.stop(stopped::countDown);
        } catch (Throwable ex) {
            failed = true;
            logger.error(
                    "Leader role '" + this.role + "': the stop of "
                            + AopUtils.getTargetClass(bean).getName()
                            + " failed. The lock is not released while the bean runs",
                    ex);
        }
        boolean interrupted = false;
        while (true) {
            try {
                if (stopped.await(POLL_MILLIS, TimeUnit.MILLISECONDS) || (failed && !isRunning(bean))) {
                    break;
                }
            } catch (InterruptedException ex) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A bean that does not report its state may still run. */
    private boolean isRunning(SmartLifecycle bean) {
        try {
            return bean.isRunning();
        } catch (Throwable ex) {
            logger.debug("Leader role '" + this.role + "': isRunning() failed", ex);
            return true;
        }
    }
}
