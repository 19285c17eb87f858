package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.InvalidLockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Analyzes annotations that cannot take effect. */
final class InvalidLockDefinitionFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockDefinitionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockDefinitionException cause) {
        return new FailureAnalysis(problem(cause), cause.remedy(), cause);
    }

    /** Returns the message without the remedy at its end. */
    private static @Nullable String problem(InvalidLockDefinitionException cause) {
        String message = cause.getMessage();
        return message != null && message.endsWith(cause.remedy())
                ? message.substring(0, message.length() - cause.remedy().length())
                        .strip()
                : message;
    }
}
