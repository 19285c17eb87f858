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
 * A property as it is written in its source.
 *
 * @param name name with the prefix
 * @param text value with unresolved placeholders
 * @param value value with resolved placeholders
 * @param origin location of the property, or {@code null} if it is unknown
 */
record TypedProperty(
        String name, String text, String value, @Nullable String origin) {

    /** Numbers that may have been meant as seconds if they are times without a unit. */
    private static final Pattern SMALL_NUMBER = Pattern.compile("0*[1-9]\\d{0,2}");

    /** Returns the property from the source with the highest precedence, or {@code null} if it is not set. */
    static @Nullable TypedProperty find(Environment environment, String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
        TypedProperty found = name != null ? find(environment, property, name) : null;
        if (found == null && property.contains("[")) {
            // In a property file, a name in capital letters needs no brackets, and Spring Boot distinguishes the two.
            String plain = property.replace("[", "").replace("]", "");
            found = find(environment, property, ConfigurationPropertyName.adapt(plain, '.'));
        }
        return found;
    }

    private static @Nullable TypedProperty find(
            Environment environment, String property, ConfigurationPropertyName name) {
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

    /**
     * Returns whether the value is a small number without a unit, which is in milliseconds but may have been meant in
     * seconds.
     */
    boolean mayMeanSeconds() {
        return mayMeanSeconds(this.value);
    }

    static boolean mayMeanSeconds(String value) {
        return SMALL_NUMBER.matcher(value).matches();
    }
}
