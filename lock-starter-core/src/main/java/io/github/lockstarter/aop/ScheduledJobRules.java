package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ScheduledLock;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.text.DurationText;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Checks the wait times of scheduled jobs. A call that waits is granted the lock after the call before it, and runs the job once
 * more: a job with a minimum hold runs in every instance, one after the other, although its minimum hold says that it must run
 * once. Such a job fails the start; one without a minimum hold is reported in a warning. Thread-safe.
 */
final class ScheduledJobRules {

    private static final LockLog logger = LockLog.of(ScheduledJobRules.class);

    /** By name, because nothing else here depends on scheduling. */
    private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";

    private static final String REMEDY =
            "Use @ScheduledLock, or a @DistributedLock with waitTime = 0, onNotGranted = SKIP and"
                    + " a minHold that exceeds the difference of the instances' clocks.";

    private final LockDefaults defaults;

    private final Supplier<SettingsByName> settings;

    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    ScheduledJobRules(LockDefaults defaults, Supplier<SettingsByName> settings) {
        this.defaults = defaults;
        this.settings = settings;
    }

    /**
     * Checks methods that acquire their locks.
     *
     * @throws io.github.lockstarter.InvalidLockDefinitionException if a job waits and has a minimum hold, or has none although
     *     {@link ScheduledLock} requires it
     * @throws InvalidLockSettingException if a property makes a job with a minimum hold wait
     */
    void check(List<LockedMethod> methodsOfBean) {
        for (LockedMethod locked : methodsOfBean) {
            boolean composed = isPresent(locked, ScheduledLock.class.getName());
            if (composed || isPresent(locked, SCHEDULED)) {
                List<LockRequest> requests = decisive(locked.specs());
                List<LockRequest> kept = requests.stream()
                        .filter(request -> !request.minHold().isZero())
                        .toList();
                if (composed && kept.size() < requests.size()) {
                    throw locked.site()
                            .rejection(
                                    "its @ScheduledLock has no minimum hold, so that an instance whose clock is late runs the job again",
                                    "Set minHold to a time that exceeds the difference of the instances' clocks, such as"
                                            + " \"30s\".");
                }
                // Of several locks, one that does not wait is sufficient.
                boolean waits =
                        requests.stream().noneMatch(request -> waitTime(request).isZero());
                if (waits && !kept.isEmpty()) {
                    throw waiting(locked.site(), kept.get(0));
                }
                if (waits && this.reported.add(locked.site().toString())) {
                    warn(locked.site(), requests);
                }
            }
        }
    }

    /** Includes annotations of overridden methods, and repeated and composed ones. */
    private static boolean isPresent(LockedMethod locked, String annotation) {
        return LockAnnotations.of(locked.site().method()).isPresent(annotation);
    }

    /** A semaphore beside a lock does not matter: it only limits which instances try. */
    private static List<LockRequest> decisive(List<LockSpec> specs) {
        List<LockRequest> all = specs.stream().map(LockSpec::template).toList();
        List<LockRequest> locks = all.stream()
                .filter(request -> request.mode() != LockMode.PERMIT)
                .toList();
        return locks.isEmpty() ? all : locks;
    }

    private RuntimeException waiting(LockSite job, LockRequest kept) {
        NamedSettings own = this.settings.get().find(kept.name());
        if (own != null && own.waitTime() != null) {
            return new InvalidLockSettingException(
                    own.waitTime().property(),
                    own.waitTime().value(),
                    "must be 0 for the scheduled method " + job + ", which has a minimum hold: with a wait time, every"
                            + " instance runs the job, one after the other",
                    "Set 0, or remove the property if the annotation has waitTime = 0.");
        }
        return job.rejection(
                "a scheduled method with a minimum hold waits " + time(kept)
                        + ", so that every instance of the application runs the job, one after the other",
                REMEDY);
    }

    private void warn(LockSite job, List<LockRequest> requests) {
        boolean permits = requests.get(0).mode() == LockMode.PERMIT;
        boolean alone = requests.stream().anyMatch(request -> request.mode() == LockMode.WRITE);
        logger.warn("The @Scheduled method " + job + " waits " + time(requests.get(0)) + " for its "
                + (permits ? "permits" : "lock")
                + " and has no minHold: every instance of the application runs the job, "
                + (alone ? "one after the other" : "several at the same time")
                + ". To run it once for all instances: " + REMEDY);
    }

    private Duration waitTime(LockRequest request) {
        return request.waitTime() != null ? request.waitTime() : this.defaults.waitTime();
    }

    private String time(LockRequest request) {
        Duration waitTime = waitTime(request);
        return (LockRequest.FOREVER.equals(waitTime) ? "without limit" : "up to " + DurationText.of(waitTime))
                + (request.waitTime() != null ? "" : " (distributed-lock.wait-time, because it has no waitTime)");
    }
}
