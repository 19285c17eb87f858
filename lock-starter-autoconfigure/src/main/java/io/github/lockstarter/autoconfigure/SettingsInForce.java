package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.named.AnnotatedLock;
import io.github.lockstarter.named.NamedSettings;
import io.github.lockstarter.named.NamedValue;
import io.github.lockstarter.named.SettingsByName;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;

/** Determines which settings are in force for each lock name, and where they come from. */
final class SettingsInForce {

    private final LockSettings settings;

    private final Supplier<List<AnnotatedLock>> annotated;

    private final Environment environment;

    /**
     * Creates the description.
     *
     * @param annotated the annotations of beans that exist so far
     */
    SettingsInForce(LockSettings settings, Supplier<List<AnnotatedLock>> annotated, Environment environment) {
        this.settings = settings;
        this.annotated = annotated;
        this.environment = environment;
    }

    /** Returns the settings by lock name: of annotated methods, and of names in the properties that no method has. */
    Map<String, SettingsDescription> describe() {
        Map<String, List<AnnotatedLock>> methods = this.annotated.get().stream()
                .collect(Collectors.groupingBy(lock -> lock.request().name(), TreeMap::new, Collectors.toList()));
        SettingsByName byName = this.settings.named();
        Set<String> used = methods.keySet().stream()
                .flatMap(name -> byName.spellingsOf(name).stream())
                .map(NamedSettings::name)
                .collect(Collectors.toSet());
        Set<String> names = new TreeSet<>(methods.keySet());
        byName.written().stream()
                .map(NamedSettings::name)
                .filter(name -> !used.contains(name))
                .forEach(names::add);
        Map<String, SettingsDescription> described = new LinkedHashMap<>();
        names.forEach(name -> described.put(name, describe(name, methods.getOrDefault(name, List.of()))));
        return described;
    }

    private SettingsDescription describe(String name, List<AnnotatedLock> methods) {
        NamedSettings found = this.settings.named().find(name);
        NamedSettings own = found != null ? found : NamedSettings.of(name);
        return new SettingsDescription(
                setting(own.waitTime(), methods, LockRequest::waitTime, common("wait-time", this.settings.waitTime())),
                setting(own.lease(), methods, LockRequest::lease, new SettingDescription("-1", "default")),
                setting(own.maxHold(), methods, LockRequest::maxHold, common("watchdog.max-hold", maxHold())),
                setting(own.minHold(), methods, SettingsInForce::minHold, new SettingDescription("0", "default")),
                setting(own.onLost(), methods, SettingsInForce::onLost, common("on-lost", this.settings.onLost())),
                setting(
                        own.watchdogTimeout(),
                        List.of(),
                        unused -> null,
                        common("watchdog.timeout", this.settings.watchdogTimeout())),
                setting(own.maxWaiters(), methods, LockRequest::maxWaiters, common("max-waiters", maxWaiters())));
    }

    private Duration maxHold() {
        return Objects.requireNonNullElse(this.settings.maxHold(), LockRequest.FOREVER);
    }

    private Object maxWaiters() {
        return Objects.requireNonNullElse(this.settings.maxWaiters(), "-1");
    }

    private static @Nullable Duration minHold(LockRequest lock) {
        return lock.minHold().isZero() ? null : lock.minHold();
    }

    private static @Nullable OnLost onLost(LockRequest lock) {
        return lock.onLost() == OnLost.DEFAULT ? null : lock.onLost();
    }

    /** Returns the setting of all locks. */
    private SettingDescription common(String property, Object value) {
        String name = "distributed-lock." + property;
        boolean set = TypedProperty.find(this.environment, name) != null;
        return new SettingDescription(text(value), set ? "property " + name : "default");
    }

    private static <T> SettingDescription setting(
            @Nullable NamedValue<T> own,
            List<AnnotatedLock> methods,
            Function<LockRequest, @Nullable T> attribute,
            SettingDescription common) {
        if (own != null) {
            return new SettingDescription(text(own.value()), "property distributed-lock." + own.property());
        }
        Map<String, SettingDescription> byMethod = new TreeMap<>();
        for (AnnotatedLock method : methods) {
            T value = attribute.apply(method.request());
            byMethod.put(
                    method.method(),
                    value != null ? new SettingDescription(text(value), "annotation of " + method.method()) : common);
        }
        Set<@Nullable String> values =
                byMethod.values().stream().map(SettingDescription::value).collect(Collectors.toSet());
        if (values.size() > 1) {
            return new SettingDescription(null, "different for each method", byMethod);
        }
        return byMethod.isEmpty() ? common : byMethod.values().iterator().next();
    }

    private static String text(Object value) {
        if (LockRequest.FOREVER.equals(value)) {
            return "-1";
        }
        return value instanceof Duration time
                ? Printable.duration(time)
                : value.toString().toLowerCase(Locale.ROOT);
    }
}
