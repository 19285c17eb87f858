package io.github.lockstarter.aop;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ScheduledLock;
import io.github.lockstarter.named.AnnotatedLock;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.RequestDefaults;
import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;

/**
 * Reports what annotations and properties say at start-up, and for beans that are created later when they are, and
 * rejects settings that cannot work:
 *
 * <ul>
 *   <li>lock names to the {@link LockNameListener}, which must not be created before ordinary beans
 *   <li>one warning for methods that run without their lock because locks are disabled
 *   <li>one warning for names in properties {@code distributed-lock.locks.<name>} that no method uses
 *   <li>one warning for each class with methods that have the same key and derived names, and so do not exclude each
 *   other
 *   <li>a warning for each fixed lease that is too short
 *   <li>a warning for each scheduled job that waits for its lock. A call that waits is granted the lock after the call
 *   before
 *       it, and runs the job once more: a job with a minimum hold would run in every instance, one after the other,
 *       although its minimum hold says that it must run once. Such a job fails the start
 * </ul>
 *
 * Thread-safe.
 */
final class StartupReport {

    private static final LockLog logger = LockLog.of(StartupReport.class);

    /**
     * A shorter fixed lease is lost by an ordinary pause: of the JVM, of Redis or of the network. The clocks of
     * instances differ by more than a shorter minimum hold.
     */
    private static final Duration MIN_TIME = Duration.ofSeconds(1);

    /** The annotation is found by its name, because nothing else here depends on scheduling. */
    private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";

    private static final String REMEDY =
            "Use @ScheduledLock, or a @DistributedLock with waitTime = 0, onNotGranted = SKIP and"
                    + " a minHold that exceeds the difference of the instances' clocks.";

    private final RequestDefaults settings;

    private final Set<AnnotatedLock> locks = ConcurrentHashMap.newKeySet();

    /** Names of locks by the name in the properties whose settings apply to them. */
    private final Map<String, String> users = new ConcurrentHashMap<>();

    /** Names that the application requests itself. */
    private final Set<String> requested = ConcurrentHashMap.newKeySet();

    /** What was reported, or is about to be. */
    private final Set<Object> reported = ConcurrentHashMap.newKeySet();

    private final Set<String> disabled = ConcurrentHashMap.newKeySet();

    private volatile LockNameListener listener = (lockName, mode) -> {};

    private volatile boolean started;

    StartupReport(RequestDefaults settings) {
        this.settings = settings;
    }

    void addRequestedName(String name) {
        this.requested.add(name);
    }

    void setListener(LockNameListener listener) {
        this.listener = listener;
    }

    /**
     * Adds methods of one bean that acquire their locks.
     *
     * @throws InvalidLockSettingException if settings apply to the name of one of them and to another name, or make a
     *     job with a minimum hold wait
     * @throws io.github.lockstarter.InvalidLockDefinitionException if a job waits and has a minimum hold, or has none
     *     although {@link ScheduledLock} requires it
     */
    void addLocked(List<LockedMethod> methodsOfBean) {
        for (LockedMethod method : methodsOfBean) {
            for (LockSpec spec : method.specs()) {
                addLock(method, spec);
            }
        }
        warnOfSameKeys(methodsOfBean);
        methodsOfBean.forEach(this::checkSchedule);
        if (this.started) {
            reportNames(methodsOfBean.stream()
                    .flatMap(method -> method.specs().stream())
                    .map(LockSpec::template));
        }
    }

    private void addLock(LockedMethod method, LockSpec spec) {
        String name = spec.name();
        LockSite site = method.site;
        this.locks.add(new AnnotatedLock(
                ClassUtils.getShortName(site.beanClass()) + '.' + site.method().getName(), spec.template()));
        NamedSettings own = this.settings.named().find(name);
        if (own == null || own.lease() == null) {
            warnIfShort(spec.template().lease(), "of lock '" + name + "' on " + site);
        }
        String doubt = spec.key() != null ? spec.key().doubt() : null;
        if (doubt != null && this.reported.add(List.of(site.toString(), doubt))) {
            logger.warn(site + ": " + doubt);
        }
        for (NamedSettings written : this.settings.named().spellingsOf(name)) {
            String other = this.users.putIfAbsent(written.name(), name);
            NamedValue<?> value = written.anyValue();
            if (other != null && !other.equals(name) && value != null) {
                throw new InvalidLockSettingException(
                        value.property(),
                        value.value(),
                        "applies to both '" + other + "' and '" + name
                                + "', locks whose names differ only in case and punctuation",
                        "Remove that spelling and write both exact names, distributed-lock.locks.[" + other
                                + "] and distributed-lock.locks.[" + name + "], or rename one of the locks.");
            }
        }
    }

    private void warnOfSameKeys(List<LockedMethod> methodsOfBean) {
        Map<String, Set<String>> byKey = new TreeMap<>();
        for (LockedMethod method : methodsOfBean) {
            for (MergedAnnotation<?> annotation : method.annotations()) {
                String key = annotation.getString("key");
                boolean named = !annotation.getString("name").isEmpty();
                // A semaphore limits calls, and methods with a semaphore are not expected to exclude each other.
                if (annotation.getType() == DistributedLock.class && !named && !key.isEmpty()) {
                    byKey.computeIfAbsent("key \"" + key + '"', unused -> new TreeSet<>())
                            .add(method.site.defaultLockName());
                }
            }
        }
        byKey.values().removeIf(names -> names.size() < 2);
        if (!byKey.isEmpty() && this.reported.add(byKey)) {
            logger.warn("Methods of " + methodsOfBean.get(0).site.beanClass().getName()
                    + " have the same key and no name, so that each has its own lock and they do not exclude each other: "
                    + byKey + ". Set the same name for methods that must exclude each other, and different names for"
                    + " the others.");
        }
    }

    private void warnIfShort(@Nullable Duration lease, String where) {
        if (lease != null && !lease.isNegative() && lease.compareTo(MIN_TIME) < 0 && this.reported.add(where)) {
            logger.warn("The fixed lease " + where + " is " + Printable.duration(lease)
                    + ". A fixed lease is never renewed and counts as lost after nine tenths of its time, so that a"
                    + " short pause of the JVM or of Redis costs the lock, after the work was done. Remove it: the"
                    + " lock is then renewed while the work runs. Otherwise set at least 1s.");
        }
    }

    /** Adds methods that run without their locks. */
    void addDisabled(List<LockedMethod> methods) {
        List<String> added = methods.stream()
                .map(method -> method.site.shortText())
                .filter(this.disabled::add)
                .toList();
        if (this.started) {
            reportDisabled(added);
        }
    }

    /** Returns the annotations that have been added so far. */
    List<AnnotatedLock> locks() {
        return List.copyOf(this.locks);
    }

    /**
     * Reports what has been added so far; see {@link SmartInitializingSingleton#afterSingletonsInstantiated}.
     *
     * @param enabled whether the settings by name apply to annotated methods
     */
    void start(boolean enabled) {
        this.started = true;
        reportDisabled(this.disabled);
        reportNames(this.locks.stream().map(AnnotatedLock::request));
        if (enabled) {
            reportSettings();
        }
    }

    private void reportNames(Stream<LockRequest> requests) {
        requests.sorted(Comparator.comparing(LockRequest::name).thenComparing(LockRequest::mode))
                .filter(request -> this.reported.add(List.of(request.name(), request.mode())))
                .forEach(request -> this.listener.named(request.name(), request.mode()));
    }

    private static void reportDisabled(Collection<String> methods) {
        if (!methods.isEmpty()) {
            logger.warn("Distributed locks are disabled (distributed-lock.enabled=false)."
                    + " These methods run WITHOUT their lock or permits: "
                    + String.join(", ", new TreeSet<>(methods)));
        }
    }

    private void reportSettings() {
        for (NamedSettings each : this.settings.named().written()) {
            NamedValue<Duration> lease = each.lease();
            if (lease != null) {
                warnIfShort(lease.value(), "of the property distributed-lock." + lease.property());
            }
        }
        Set<String> names =
                this.locks.stream().map(lock -> lock.request().name()).collect(Collectors.toCollection(TreeSet::new));
        String unused = this.settings.named().written().stream()
                .map(NamedSettings::name)
                .filter(name -> !this.users.containsKey(name) && !this.requested.contains(name))
                .map(name -> "distributed-lock.locks.[" + name + ']')
                .collect(Collectors.joining(", "));
        if (!unused.isEmpty()) {
            logger.warn("No annotated method has the lock name of these properties: " + unused
                    + ". They apply only if the application requests that name through LockRegistry, or creates such a"
                    + " bean later. "
                    + (names.isEmpty()
                            ? "There are no annotated methods."
                            : "Names of annotated methods: " + String.join(", ", names) + '.'));
        }
    }

    // ---- Scheduled jobs

    private void checkSchedule(LockedMethod locked) {
        LockSite job = locked.site;
        // Includes annotations of overridden methods, and repeated and composed ones.
        MergedAnnotations annotations = LockAnnotations.of(job.method());
        boolean composed = annotations.isPresent(ScheduledLock.class);
        if (!composed && !annotations.isPresent(SCHEDULED)) {
            return;
        }
        List<LockRequest> requests = decisive(locked.specs());
        List<LockRequest> kept =
                requests.stream().filter(request -> !request.minHold().isZero()).toList();
        for (LockRequest request : composed ? requests : List.<LockRequest>of()) {
            if (request.minHold().compareTo(MIN_TIME) < 0) {
                throw job.rejection(
                        "the minimum hold of its @ScheduledLock is " + Printable.duration(request.minHold())
                                + ", so that an instance whose clock is late runs the job again",
                        "Set minHold, or distributed-lock." + NamedSettings.property(request.name(), "min-hold")
                                + " if it replaces minHold, to at least 1s, and to more than the difference of the"
                                + " instances' clocks, such as 30s. A number without a unit is in milliseconds.");
            }
        }
        // If there are several locks, it is sufficient that one of them does not wait.
        boolean waits = requests.stream()
                .noneMatch(request -> this.settings.waitTimeOf(request).isZero());
        if (waits && !kept.isEmpty()) {
            throw waiting(job, kept.get(0));
        }
        if (waits && this.reported.add(job.toString())) {
            LockMode mode = requests.get(0).mode();
            boolean alone = requests.stream().anyMatch(request -> request.mode() == LockMode.WRITE);
            logger.warn("The @Scheduled method " + job + " waits " + time(requests.get(0)) + " for its "
                    + (mode == LockMode.PERMIT ? "permits" : "lock")
                    + " and has no minHold: every instance of the application runs the job, "
                    + (alone ? "one after the other" : "several at the same time")
                    + ". To run it once for all instances: " + REMEDY);
        }
    }

    /** A semaphore that accompanies a lock does not matter, because it only limits which instances try. */
    private static List<LockRequest> decisive(List<LockSpec> specs) {
        List<LockRequest> all = specs.stream().map(LockSpec::template).toList();
        List<LockRequest> locks = all.stream()
                .filter(request -> request.mode() != LockMode.PERMIT)
                .toList();
        return locks.isEmpty() ? all : locks;
    }

    private RuntimeException waiting(LockSite job, LockRequest kept) {
        NamedSettings own = this.settings.named().find(kept.name());
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

    private String time(LockRequest request) {
        Duration waitTime = this.settings.waitTimeOf(request);
        return (LockRequest.FOREVER.equals(waitTime) ? "without limit" : "up to " + Printable.duration(waitTime))
                + (request.waitTime() != null ? "" : " (distributed-lock.wait-time, because it has no waitTime)");
    }
}
