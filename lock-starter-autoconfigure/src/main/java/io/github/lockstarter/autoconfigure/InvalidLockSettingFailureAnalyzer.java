package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.text.Printable;
import java.util.Map;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Analyzes invalid properties, with the value as it is written and its location. Has precedence over Spring Boot's
 * analyzer of binding failures, which reports only that the properties as a whole could not be bound.
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
            TypedProperty typed = TypedProperty.find(this.environment, each.getKey());
            description.append("\n    Property: ").append(each.getKey());
            if (typed == null) {
                description.append("\n    Value: ").append(each.getValue()).append(" (not set)\n");
                continue;
            }
            description
                    .append("\n    Value: \"")
                    .append(Printable.of(typed.text()))
                    .append('"');
            if (typed.origin() != null) {
                description.append("\n    Origin: ").append(Printable.of(typed.origin()));
            }
            description.append('\n');
            if (each.getValue().endsWith("ms") && typed.mayMeanSeconds()) {
                action.append(" A number without a unit is in milliseconds: for ")
                        .append(typed.value())
                        .append(" seconds, write ")
                        .append(typed.value())
                        .append("s.");
            }
        }
        return new FailureAnalysis(description.toString(), action.toString(), cause);
    }
}
