package io.github.lockstarter.aop;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.named.AnnotatedLock;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.text.DurationText;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Compares the names in properties {@code distributed-lock.locks.<name>} with those of annotated methods: a name in the
 * properties that no method uses is reported at start-up in one warning, and one that would apply to two names fails the
 * start. Reports fixed leases that are too short, of annotations and of properties. Thread-safe.
 */
final class NamedSettingsReport {

    private static final LockLog logger = LockLog.of(NamedSettingsReport.class);

    /** A shorter fixed lease is lost by an ordinary pause: of the JVM, of Redis or of the network. */
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    private final Supplier<SettingsByName> settings;

    private final Set<String> shortLeases = ConcurrentHashMap.newKeySet();

    private final Set<AnnotatedLock> locks = ConcurrentHashMap.newKeySet();

    /** Names of locks by the name in the properties whose settings apply to them. */
    private final Map<String, String> users = new ConcurrentHashMap<>();

    NamedSettingsReport(Supplier<SettingsByName> settings) {
        this.settings = settings;
    }

    /**
     * Adds methods that acquire their locks.
     *
     * @throws InvalidLockSettingException if settings apply to the name of one of them and to another name
     */
    void add(List<LockedMethod> methods) {
        for (LockedMethod method : methods) {
            for (LockSpec spec : method.specs()) {
                this.locks.add(annotatedLock(method, spec));
                NamedSettings own = this.settings.get().find(spec.name());
                if (own == null || own.lease() == null) {
                    warnIfShort(spec.lease(), "of lock '" + spec.name() + "' on " + method.site());
                }
                this.settings.get().spellingsOf(spec.name()).forEach(written -> claim(written, spec.name()));
            }
        }
    }

    private void warnIfShort(@Nullable Duration lease, String where) {
        if (lease != null
                && !lease.isNegative()
                && lease.compareTo(SHORTEST_LEASE) < 0
                && this.shortLeases.add(where)) {
            logger.warn("The fixed lease " + where + " is " + DurationText.of(lease)
                    + ". A fixed lease is never renewed and counts as lost after nine tenths of its time, so that a short pause"
                    + " of the JVM or of Redis costs the lock, after the work was done. Remove it: the lock is then renewed"
                    + " while the work runs. Otherwise set at least 1s.");
        }
    }

    private static AnnotatedLock annotatedLock(LockedMethod method, LockSpec spec) {
        String where = ClassUtils.getShortName(method.site().beanClass())
                + '.'
                + method.site().method().getName();
        return new AnnotatedLock(
                spec.name(), where, spec.waitTime(), spec.lease(), spec.maxHold(), spec.minHold(), spec.onLost());
    }

    private void claim(NamedSettings written, String name) {
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

    /** Returns what has been added so far. */
    List<AnnotatedLock> locks() {
        return List.copyOf(this.locks);
    }

    /** Logs the names that no method uses, and the leases in properties that are too short. */
    void start() {
        for (NamedSettings each : this.settings.get().written()) {
            NamedValue<Duration> lease = each.lease();
            if (lease != null) {
                warnIfShort(lease.value(), "of the property distributed-lock." + lease.property());
            }
        }
        List<String> unused = this.settings.get().written().stream()
                .map(NamedSettings::name)
                .filter(name -> !this.users.containsKey(name))
                .toList();
        if (!unused.isEmpty()) {
            NavigableSet<String> known =
                    this.locks.stream().map(AnnotatedLock::name).collect(Collectors.toCollection(TreeSet::new));
            String names = unused.stream()
                    .map(name -> "distributed-lock.locks.[" + name + ']' + suggestion(name, known))
                    .collect(Collectors.joining(", "));
            logger.warn("No annotated method has the lock name of these properties: " + names
                    + ". They apply only if the application requests that name through LockRegistry, or creates such a"
                    + " bean later. "
                    + (known.isEmpty()
                            ? "There are no annotated methods."
                            : "Names of annotated methods: " + String.join(", ", known) + '.'));
        }
    }

    private static String suggestion(String name, Set<String> known) {
        int colon = name.indexOf(':');
        String withoutKey = colon > 0 ? name.substring(0, colon) : name;
        return known.contains(withoutKey) ? " (did you mean '" + withoutKey + "'?)" : "";
    }
}
