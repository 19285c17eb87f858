package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ScheduledLock;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.text.DurationText;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks the wait times of scheduled jobs and of methods with a minimum hold. A call that waits is granted the lock after the
 * call before it, and runs the method once more: a job with a minimum hold runs in every instance, one after the other,
 * although its minimum hold says that it must run once. Such a job fails the start; other methods that are likely to
 * run repeatedly are reported in a warning. Thread-safe.
 */
final class WaitTimeRules {

    private static final LockLog logger = LockLog.of(WaitTimeRules.class);

    /** By name, because nothing else here depends on scheduling. */
    private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";

    private static final String REMEDY =
            "Use @ScheduledLock, or a @DistributedLock with waitTime = 0, onNotGranted = SKIP and"
                    + " a minHold that exceeds the difference of the instances' clocks.";

    private final LockDefaults defaults;

    private final Supplier<SettingsByName> settings;

    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    WaitTimeRules(LockDefaults defaults, Supplier<SettingsByName> settings) {
        this.defaults = defaults;
        this.settings = settings;
    }

    /**
     * Checks methods that acquire their locks.
     *
     * @throws io.github.lockstarter.InvalidLockDefinitionException if a scheduled job waits and has a minimum hold
     * @throws InvalidLockSettingException the same, if a property makes it wait
     */
    void check(List<LockedMethod> methodsOfBean) {
        for (LockedMethod locked : methodsOfBean) {
            List<LockRequest> requests = decisive(locked.specs());
            if (isPresent(locked, ScheduledLock.class.getName())) {
                requests.forEach(request -> requireMinimumHold(locked, request));
            }
            // Of several locks, one that does not wait is sufficient.
            if (requests.stream().allMatch(this::waits)) {
                if (isPresent(locked, SCHEDULED) || isPresent(locked, ScheduledLock.class.getName())) {
                    checkJob(locked, requests);
                } else {
                    requests.forEach(request -> checkMinimumHold(locked, request));
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

    private static void requireMinimumHold(LockedMethod locked, LockRequest request) {
        if (request.minHold().isZero()) {
            throw locked.site()
                    .rejection(
                            "its @ScheduledLock has no minimum hold, so that an instance whose clock is late runs the job again",
                            "Set minHold to a time that exceeds the difference of the instances' clocks, such as \"30s\".");
        }
    }

    private void checkJob(LockedMethod locked, List<LockRequest> requests) {
        LockRequest kept = requests.stream()
                .filter(request -> !request.minHold().isZero())
                .findFirst()
                .orElse(null);
        if (kept == null) {
            warnJob(locked, requests);
            return;
        }
        NamedValue<Duration> property = property(kept);
        if (property != null) {
            throw new InvalidLockSettingException(
                    property.property(),
                    property.value(),
                    "must be 0 for the scheduled method " + locked.site() + ", whose minimum hold is "
                            + DurationText.of(kept.minHold())
                            + ": with a wait time, every instance runs the job, one after the other",
                    "Set 0, or remove the property if the annotation has waitTime = 0.");
        }
        throw locked.site()
                .rejection(
                        "a scheduled method with a minimum hold of "
                                + DurationText.of(kept.minHold()) + " waits "
                                + time(kept) + source(kept)
                                + ", so that every instance of the application runs the job, one after the other",
                        REMEDY);
    }

    private void warnJob(LockedMethod locked, List<LockRequest> requests) {
        String method = locked.site().toString();
        if (this.reported.add(method)) {
            boolean permits = requests.get(0).mode() == LockMode.PERMIT;
            boolean alone = requests.stream().anyMatch(request -> request.mode() == LockMode.WRITE);
            logger.warn("The @Scheduled method " + method + " waits " + time(requests.get(0)) + " for its "
                    + (permits ? "permits" : "lock")
                    + " and has no minHold: every instance of the application runs the job, "
                    + (alone ? "one after the other" : "several at the same time")
                    + ". To run it once for all instances: " + REMEDY);
        }
    }

    private void checkMinimumHold(LockedMethod locked, LockRequest request) {
        Duration waitTime = waitTime(request);
        boolean outlasts = LockRequest.FOREVER.equals(waitTime) || waitTime.compareTo(request.minHold()) >= 0;
        if (!request.minHold().isZero() && outlasts && this.reported.add(request.name() + ' ' + locked.site())) {
            logger.warn("The method " + locked.site() + " waits " + time(request) + source(request)
                    + " for its lock, and has a minHold of "
                    + DurationText.of(request.minHold())
                    + ": a call that waits runs the method again once the minimum hold is over. To run it once in that time,"
                    + " set waitTime = 0 and onNotGranted = SKIP; otherwise set a waitTime below minHold.");
        }
    }

    private boolean waits(LockRequest request) {
        return !waitTime(request).isZero();
    }

    private Duration waitTime(LockRequest request) {
        return request.waitTime() != null ? request.waitTime() : this.defaults.waitTime();
    }

    private String time(LockRequest request) {
        Duration waitTime = waitTime(request);
        return LockRequest.FOREVER.equals(waitTime) ? "without limit" : "up to " + DurationText.of(waitTime);
    }

    private static String source(LockRequest request) {
        return request.waitTime() != null ? "" : " (distributed-lock.wait-time, because it has no waitTime)";
    }

    private @Nullable NamedValue<Duration> property(LockRequest request) {
        NamedSettings own = this.settings.get().find(request.name());
        return own != null ? own.waitTime() : null;
    }
}
