package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.AnnotationConfigurationException;

/** Analyzes lock and semaphore annotations with contradictory aliases, with which a component scan fails. */
final class ContradictoryLockFailureAnalyzer extends AbstractFailureAnalyzer<AnnotationConfigurationException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AnnotationConfigurationException cause) {
        String message = cause.getMessage();
        if (message == null
                || !(message.contains(DistributedLock.class.getName())
                        || message.contains(DistributedSemaphore.class.getName()))) {
            return null;
        }
        return new FailureAnalysis(
                message,
                "Set either value or key of the annotation, which are aliases of each other. For a composed annotation,"
                        + " check its @AliasFor.",
                cause);
    }
}
