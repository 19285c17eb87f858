package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.InvalidLockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains at start-up which annotation cannot do what it says, and what to do about it. */
final class InvalidLockDefinitionFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockDefinitionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockDefinitionException cause) {
        return new FailureAnalysis(problem(cause), cause.remedy(), cause);
    }

    /** The message without the remedy that it ends with. */
    private static @Nullable String problem(InvalidLockDefinitionException cause) {
        String message = cause.getMessage();
        return message != null && message.endsWith(cause.remedy())
                ? message.substring(0, message.length() - cause.remedy().length())
                        .strip()
                : message;
    }
}
