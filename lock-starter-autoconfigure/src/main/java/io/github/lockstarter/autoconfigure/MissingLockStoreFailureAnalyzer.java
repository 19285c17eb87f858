package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;

/** Explains at start-up that there is no store for locks, and who needs it. */
final class MissingLockStoreFailureAnalyzer extends AbstractInjectionFailureAnalyzer<MissingLockStoreException> {

    @Override
    protected FailureAnalysis analyze(
            Throwable rootFailure, MissingLockStoreException cause, @Nullable String description) {
        String user = description != null ? description + " needs a LockRegistry. " : "";
        return new FailureAnalysis(user + cause.problem(), cause.remedy(), cause);
    }
}
