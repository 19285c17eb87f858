package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLock;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.AnnotationConfigurationException;

/** Analyzes {@code @DistributedLock} annotations with contradictory aliases, with which a component scan fails. */
final class ContradictoryLockFailureAnalyzer extends AbstractFailureAnalyzer<AnnotationConfigurationException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AnnotationConfigurationException cause) {
        String message = cause.getMessage();
        if (message == null || !message.contains(DistributedLock.class.getName())) {
            return null;
        }
        return new FailureAnalysis(
                message,
                "Set either value or key of @DistributedLock, which are aliases of each other. For a composed annotation,"
                        + " check its @AliasFor.",
                cause);
    }
}
