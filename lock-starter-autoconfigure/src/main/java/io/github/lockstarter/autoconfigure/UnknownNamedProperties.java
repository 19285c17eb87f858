package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.autoconfigure.DistributedLockProperties.Lock;
import io.github.lockstarter.text.LockLog;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * Warns at start-up about properties below {@code distributed-lock.locks} that no setting is read from. Spring Boot ignores
 * them, and a name with a dot that is not in brackets, such as that of a method, looks like a setting of another name.
 */
final class UnknownNamedProperties implements SmartInitializingSingleton {

    private static final ConfigurationPropertyName LOCKS = ConfigurationPropertyName.of("distributed-lock.locks");

    private static final LockLog logger = LockLog.of(UnknownNamedProperties.class);

    /** All settings of a name, by their uniform names, as environment variables spell them. */
    private static final Map<String, String> SETTINGS = Stream.concat(Lock.TIMES.stream(), Stream.of("on-lost"))
            .collect(Collectors.toMap(
                    setting -> setting.replace("-", ""), setting -> setting, (one, other) -> one, LinkedHashMap::new));

    private final Environment environment;

    UnknownNamedProperties(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                iterable.stream().filter(LOCKS::isAncestorOf).forEach(name -> check(name, source));
            }
        }
    }

    private static void check(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        int begin = LOCKS.getNumberOfElements();
        if (name.getNumberOfElements() == begin + 1 || settingAt(begin + 1, name) != null) {
            return;
        }
        ConfigurationProperty property = source.getConfigurationProperty(name);
        String origin = property != null && property.getOrigin() != null ? " Origin: " + property.getOrigin() : "";
        logger.warn(text(name, 0, name.getNumberOfElements()) + " has no effect: " + remedy(name, begin) + origin);
    }

    private static String remedy(ConfigurationPropertyName name, int begin) {
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

    /** Returns the setting that the elements from that one on name; null: there is none of that name. */
    private static @Nullable String settingAt(int first, ConfigurationPropertyName name) {
        return SETTINGS.get(IntStream.range(first, name.getNumberOfElements())
                .mapToObj(i -> name.getElement(i, Form.UNIFORM))
                .collect(Collectors.joining(".")));
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
