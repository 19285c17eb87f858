package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.autoconfigure.DistributedLockProperties.Lock;
import io.github.lockstarter.text.LockLog;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Warns at start-up about properties below {@code distributed-lock} that no setting is read from. Spring Boot ignores
 * them, and a name with a dot that is not in brackets, such as that of a method, looks like a setting of another name.
 */
final class UnknownProperties implements SmartInitializingSingleton {

    private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("distributed-lock");

    private static final ConfigurationPropertyName LOCKS = OURS.append("locks");

    private static final LockLog logger = LockLog.of(UnknownProperties.class);

    /** All settings of a name, by their uniform names, as environment variables spell them. */
    private static final Map<String, String> SETTINGS = Stream.concat(
                    Lock.TIMES.stream(), Stream.of("on-lost", "max-waiters"))
            .collect(Collectors.toMap(
                    setting -> setting.replace("-", ""), setting -> setting, (one, other) -> one, LinkedHashMap::new));

    /**
     * The properties of a module.
     *
     * @param prefix what their names begin with below {@code distributed-lock}
     * @param type name of the record, which exists if the module is present, even if it is disabled
     */
    private record Module(String prefix, String type, String artifact) {}

    private static final List<Module> MODULES = List.of(
            new Module("", DistributedLockProperties.class.getName(), "lock-starter-autoconfigure"),
            new Module("jdbc.fence.", "io.github.lockstarter.jdbc.FenceProperties", "lock-starter-jdbc"),
            new Module("leader.", "io.github.lockstarter.leader.LeaderProperties", "lock-starter-leader"),
            new Module("ui.", "io.github.lockstarter.ui.LocksPageProperties", "lock-starter-ui"));

    private final Environment environment;

    /** All names below the prefix, by their uniform names. That of a map or a list ends with a dot. */
    private final Map<String, String> known = new LinkedHashMap<>();

    private final List<Module> missing = new ArrayList<>();

    UnknownProperties(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        // A native image does not know the components of records.
        for (Module module : NativeDetector.inNativeImage() ? List.<Module>of() : MODULES) {
            try {
                addNames(
                        module.prefix(),
                        ClassUtils.forName(module.type(), getClass().getClassLoader()));
            } catch (ClassNotFoundException | LinkageError ex) {
                this.missing.add(module);
            }
        }
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream().filter(OURS::isAncestorOf).forEach(name -> check(name, source));
            }
        }
    }

    private void addNames(String prefix, Class<?> type) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + DataObjectPropertyName.toDashedForm(component.getName());
            Class<?> value = component.getType();
            if (value.isRecord()) {
                addNames(name + '.', value);
            } else {
                boolean isOpen = Map.class.isAssignableFrom(value) || Collection.class.isAssignableFrom(value);
                this.known.put(name.replace("-", "") + (isOpen ? "." : ""), name);
            }
        }
    }

    private void check(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        int begin = LOCKS.getNumberOfElements();
        String remedy;
        if (LOCKS.isAncestorOf(name)) {
            remedy = name.getNumberOfElements() == begin + 1 || settingAt(begin + 1, name) != null
                    ? null
                    : remedyOfLock(name, begin);
        } else {
            remedy = remedy(uniform(OURS.getNumberOfElements(), name));
        }
        if (remedy != null) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            String origin = property != null && property.getOrigin() != null ? " Origin: " + property.getOrigin() : "";
            logger.warn(text(name, 0, name.getNumberOfElements()) + " has no effect: " + remedy + origin);
        }
    }

    private static String remedyOfLock(ConfigurationPropertyName name, int begin) {
        for (int i = begin + 2; i < name.getNumberOfElements(); i++) {
            String setting = settingAt(i, name);
            if (setting != null) {
                String lock = text(name, begin, i);
                return "a name with dots is written in brackets, distributed-lock.locks.[" + lock + "]." + setting
                        + ", and in an environment variable without punctuation, DISTRIBUTEDLOCK_LOCKS_"
                        + variable(lock) + '_' + variable(setting.replace(".", "_")) + '.';
            }
        }
        return "the settings of a name are " + String.join(", ", SETTINGS.values()) + '.';
    }

    /**
     * Returns what to do about a property.
     *
     * @param name the uniform name below the prefix
     * @return null if there is such a property, or a group of that name
     */
    private @Nullable String remedy(String name) {
        for (Module module : this.missing) {
            if (name.startsWith(module.prefix())) {
                return "it is a property of " + module.artifact() + ", which is not on the class path.";
            }
        }
        boolean isKnown = this.known.isEmpty()
                || this.known.keySet().stream()
                        .anyMatch(property -> property.equals(name)
                                || property.startsWith(name + '.')
                                || (property.endsWith(".") && name.startsWith(property)));
        if (isKnown) {
            return null;
        }
        String nearest = nearest(name);
        return nearest != null
                ? "there is no such property; the nearest is distributed-lock." + nearest + '.'
                : "there is no such property; those below distributed-lock are "
                        + String.join(", ", this.known.values()) + '.';
    }

    /**
     * Returns the property that differs least, in a third of its characters at most or in further elements; null: none.
     */
    private @Nullable String nearest(String name) {
        String letters = name.replace(".", "");
        String nearest = null;
        int least = Integer.MAX_VALUE;
        for (Map.Entry<String, String> property : this.known.entrySet()) {
            String other = property.getKey().replace(".", "");
            int distance = distance(letters, other);
            boolean isNear = distance <= Math.max(1, letters.length() / 3)
                    || contains(other, letters)
                    || contains(letters, other);
            if (isNear && distance < least) {
                nearest = property.getValue();
                least = distance;
            }
        }
        return nearest;
    }

    /** Returns whether a name is the other one with a further group before it, or further elements after it. */
    private static boolean contains(String longer, String shorter) {
        return longer.startsWith(shorter) || longer.endsWith(shorter);
    }

    /** Returns the number of characters to insert, delete or replace (Levenshtein). */
    private static int distance(String one, String other) {
        int[] row = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }

    /** Returns the setting that the elements from that one on name; null: there is none of that name. */
    private static @Nullable String settingAt(int first, ConfigurationPropertyName name) {
        return SETTINGS.get(uniform(first, name));
    }

    private static String uniform(int first, ConfigurationPropertyName name) {
        return IntStream.range(first, name.getNumberOfElements())
                .mapToObj(i -> name.getElement(i, Form.UNIFORM))
                .collect(Collectors.joining("."));
    }

    private static String text(ConfigurationPropertyName name, int begin, int end) {
        return IntStream.range(begin, end)
                .mapToObj(i -> name.getElement(i, Form.ORIGINAL))
                .collect(Collectors.joining("."));
    }

    private static String variable(String text) {
        return text.replaceAll("[^\\p{L}\\p{N}_]", "").toUpperCase(Locale.ROOT);
    }
}
