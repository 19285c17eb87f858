package io.github.lockstarter.aop;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.aop.call.LockDefaults;
import io.github.lockstarter.aop.metadata.LockAnnotations;
import io.github.lockstarter.aop.metadata.LockSpec;
import io.github.lockstarter.aop.metadata.LockedMethod;
import io.github.lockstarter.text.DurationText;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Logs a warning for scheduled methods that wait for their lock or permits and have no minimum hold: runs of the job do
 * not overlap, or only as many as there are permits, but every instance of the application runs it.
 */
final class ScheduledJobWarning {

    private static final LockLog logger = LockLog.of(ScheduledJobWarning.class);

    /** By name, because nothing else here depends on scheduling. */
    private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";

    private final LockDefaults defaults;

    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    ScheduledJobWarning(LockDefaults defaults) {
        this.defaults = defaults;
    }

    void check(List<LockedMethod> methodsOfBean) {
        methodsOfBean.stream().filter(ScheduledJobWarning::isScheduled).forEach(this::checkJob);
    }

    /** Includes annotations of overridden methods, and repeated and composed ones. */
    private static boolean isScheduled(LockedMethod locked) {
        return LockAnnotations.of(locked.site().method()).isPresent(SCHEDULED);
    }

    /** Of several locks, one without waiting or with a minimum hold is sufficient. */
    private void checkJob(LockedMethod locked) {
        List<LockSpec> specs = decisive(locked.specs());
        boolean waits = specs.stream()
                .allMatch(spec -> spec.minHold().isZero() && !waitTime(spec).isZero());
        String method = locked.site().toString();
        if (waits && this.reported.add(method)) {
            Duration waitTime = waitTime(specs.get(0));
            String time = LockRequest.FOREVER.equals(waitTime) ? "without limit" : "up to " + DurationText.of(waitTime);
            logger.warn("The @Scheduled method " + method + " waits " + time + " for its " + kind(specs)
                    + " and has no minHold: every instance of the application runs the job, " + howOften(specs)
                    + ". To run it once for all instances, use a @DistributedLock with waitTime = 0, onNotGranted = SKIP and"
                    + " a minHold that exceeds the difference of their clocks.");
        }
    }

    /** A semaphore beside a lock does not matter: it only limits which instances try. */
    private static List<LockSpec> decisive(List<LockSpec> specs) {
        List<LockSpec> locks = specs.stream()
                .filter(spec -> spec.use().mode() != LockMode.PERMIT)
                .toList();
        return locks.isEmpty() ? specs : locks;
    }

    private static String kind(List<LockSpec> specs) {
        return specs.get(0).use().mode() == LockMode.PERMIT ? "permits" : "lock";
    }

    private static String howOften(List<LockSpec> specs) {
        boolean alone = specs.stream().anyMatch(spec -> spec.use().mode() == LockMode.WRITE);
        return alone ? "one after the other" : "several at the same time";
    }

    private Duration waitTime(LockSpec spec) {
        return spec.waitTime() != null ? spec.waitTime() : this.defaults.waitTime();
    }
}
