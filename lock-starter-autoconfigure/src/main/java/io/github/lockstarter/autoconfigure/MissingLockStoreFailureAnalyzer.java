package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;

/** Analyzes the failure of an application that needs a lock but has no store, and names the bean that needs it. */
final class MissingLockStoreFailureAnalyzer extends AbstractInjectionFailureAnalyzer<MissingLockStoreException> {

    @Override
    protected FailureAnalysis analyze(
            Throwable rootFailure, MissingLockStoreException cause, @Nullable String description) {
        String user = description != null ? description + " needs a LockRegistry. " : "";
        return new FailureAnalysis(user + cause.problem(), cause.remedy(), cause);
    }
}
