package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.store.UnusableStoreException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Analyzes the start at a server that lacks what each lock needs. */
final class UnusableStoreFailureAnalyzer extends AbstractFailureAnalyzer<UnusableStoreException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnusableStoreException cause) {
        return new FailureAnalysis(cause.problem(), cause.remedy(), cause);
    }
}
