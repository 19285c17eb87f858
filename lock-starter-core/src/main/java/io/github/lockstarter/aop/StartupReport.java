package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.named.AnnotatedLock;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.text.DurationText;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.ClassUtils;

/**
 * Reports what annotations and properties say at start-up, and for beans that are created later when they are:
 *
 * <ul>
 *   <li>lock names to the {@link LockNameListener}, which must not be created before ordinary beans
 *   <li>one warning for methods that run without their lock because locks are disabled
 *   <li>one warning for names in properties {@code distributed-lock.locks.<name>} that no method uses
 *   <li>a warning for each fixed lease that is too short
 * </ul>
 *
 * Thread-safe.
 */
final class StartupReport {

    private static final LockLog logger = LockLog.of(StartupReport.class);

    /** A shorter fixed lease is lost by an ordinary pause: of the JVM, of Redis or of the network. */
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    private final Supplier<SettingsByName> settings;

    private final Set<AnnotatedLock> locks = ConcurrentHashMap.newKeySet();

    /** Names of locks by the name in the properties whose settings apply to them. */
    private final Map<String, String> users = new ConcurrentHashMap<>();

    /** What was reported, or is about to be. */
    private final Set<Object> reported = ConcurrentHashMap.newKeySet();

    private final NavigableSet<NameInMode> newNames =
            new ConcurrentSkipListSet<>(Comparator.comparing(NameInMode::name).thenComparing(NameInMode::mode));

    private final NavigableSet<String> newlyDisabled = new ConcurrentSkipListSet<>();

    private volatile LockNameListener listener = (lockName, mode) -> {};

    private volatile boolean started;

    StartupReport(Supplier<SettingsByName> settings) {
        this.settings = settings;
    }

    void setListener(LockNameListener listener) {
        this.listener = listener;
    }

    /**
     * Adds methods of one bean that acquire their locks.
     *
     * @throws InvalidLockSettingException if settings apply to the name of one of them and to another name
     */
    void addLocked(List<LockedMethod> methodsOfBean) {
        for (LockedMethod method : methodsOfBean) {
            for (LockSpec spec : method.specs()) {
                addLock(method, spec);
            }
        }
        if (this.started) {
            reportNames();
        }
    }

    private void addLock(LockedMethod method, LockSpec spec) {
        String name = spec.name();
        NameInMode used = new NameInMode(name, spec.template().mode());
        if (this.reported.add(used)) {
            this.newNames.add(used);
        }
        LockSite site = method.site();
        this.locks.add(new AnnotatedLock(
                ClassUtils.getShortName(site.beanClass()) + '.' + site.method().getName(), spec.template()));
        NamedSettings own = this.settings.get().find(name);
        if (own == null || own.lease() == null) {
            warnIfShort(spec.template().lease(), "of lock '" + name + "' on " + site);
        }
        for (NamedSettings written : this.settings.get().spellingsOf(name)) {
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

    private void warnIfShort(@Nullable Duration lease, String where) {
        if (lease != null && !lease.isNegative() && lease.compareTo(SHORTEST_LEASE) < 0 && this.reported.add(where)) {
            logger.warn("The fixed lease " + where + " is " + DurationText.of(lease)
                    + ". A fixed lease is never renewed and counts as lost after nine tenths of its time, so that a short pause"
                    + " of the JVM or of Redis costs the lock, after the work was done. Remove it: the lock is then renewed"
                    + " while the work runs. Otherwise set at least 1s.");
        }
    }

    /** Adds methods that run without their locks. */
    void addDisabled(List<LockedMethod> methods) {
        for (LockedMethod method : methods) {
            String text = method.site().shortText();
            if (this.reported.add(text)) {
                this.newlyDisabled.add(text);
            }
        }
        if (this.started) {
            reportDisabled();
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
        reportDisabled();
        reportNames();
        if (enabled) {
            reportSettings();
        }
    }

    private void reportNames() {
        for (NameInMode next = this.newNames.pollFirst(); next != null; next = this.newNames.pollFirst()) {
            this.listener.named(next.name(), next.mode());
        }
    }

    private void reportDisabled() {
        Set<String> methods = new TreeSet<>();
        for (String next = this.newlyDisabled.pollFirst(); next != null; next = this.newlyDisabled.pollFirst()) {
            methods.add(next);
        }
        if (!methods.isEmpty()) {
            logger.warn("Distributed locks are disabled (distributed-lock.enabled=false)."
                    + " These methods run WITHOUT their lock or permits: " + String.join(", ", methods));
        }
    }

    private void reportSettings() {
        for (NamedSettings each : this.settings.get().written()) {
            NamedValue<Duration> lease = each.lease();
            if (lease != null) {
                warnIfShort(lease.value(), "of the property distributed-lock." + lease.property());
            }
        }
        Set<String> names =
                this.locks.stream().map(lock -> lock.request().name()).collect(Collectors.toCollection(TreeSet::new));
        String unused = this.settings.get().written().stream()
                .map(NamedSettings::name)
                .filter(name -> !this.users.containsKey(name))
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

    /** A lock name, and a mode in which an annotated method requests the lock. */
    private record NameInMode(String name, LockMode mode) {}
}
