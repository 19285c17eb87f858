package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.InvalidLockSettingException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Explains at start-up which property cannot work, as it was typed and where. Spring Boot's analyzer of binding knows only
 * that the properties as a whole were refused, hence before it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidLockSettingFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockSettingException> {

    private final Environment environment;

    InvalidLockSettingFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockSettingException cause) {
        StringBuilder description = new StringBuilder(cause.property() + ' ' + cause.rule() + ":\n");
        StringBuilder action = new StringBuilder(cause.remedy());
        for (Map.Entry<String, String> each : cause.involved().entrySet()) {
            ConfigurationProperty typed = find(each.getKey());
            description.append("\n    Property: ").append(each.getKey());
            if (typed == null) {
                description.append("\n    Value: ").append(each.getValue()).append(" (not set)\n");
                continue;
            }
            description.append("\n    Value: \"").append(typed.getValue()).append('"');
            if (typed.getOrigin() != null) {
                description.append("\n    Origin: ").append(typed.getOrigin());
            }
            description.append('\n');
            String number = Objects.toString(typed.getValue()).strip();
            if (each.getValue().endsWith("ms") && number.matches("\\d{1,3}")) {
                action.append(" A number without a unit is in milliseconds: for ")
                        .append(number)
                        .append(" seconds, write ")
                        .append(number)
                        .append("s.");
            }
        }
        return new FailureAnalysis(description.toString(), action.toString(), cause);
    }

    private @Nullable ConfigurationProperty find(String property) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
