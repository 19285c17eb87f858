package io.github.lockstarter.autoconfigure;

import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/**
 * A property as it was typed.
 *
 * @param name its name, with the prefix
 * @param text its value, with placeholders if it has any
 * @param value its value
 * @param origin where it was typed; null: unknown
 */
record TypedProperty(
        String name, String text, String value, @Nullable String origin) {

    /** Of a time without a unit, such small ones may have been meant as seconds. */
    private static final Pattern SMALL_NUMBER = Pattern.compile("0*[1-9]\\d{0,2}");

    /** Finds the value that counts; null if the property is not set. */
    static @Nullable TypedProperty find(Environment environment, String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                String text = Objects.toString(found.getValue());
                return new TypedProperty(
                        property,
                        text,
                        environment.resolvePlaceholders(text).strip(),
                        found.getOrigin() != null ? found.getOrigin().toString() : null);
            }
        }
        return null;
    }

    /** Whether a time was typed without its unit, although its author may have meant seconds: it is in milliseconds. */
    boolean mayMeanSeconds() {
        return SMALL_NUMBER.matcher(this.value).matches();
    }
}
