package io.github.lockstarter.autoconfigure;

import java.util.List;
import java.util.Objects;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.mock.env.MockEnvironment;

/** What Spring Boot says when an application does not start. */
final class FailureAnalyses {

    private FailureAnalyses() {}

    /** The analysis of the first registered analyzer that knows the failure. */
    static FailureAnalysis of(Throwable failure) {
        return of(failure, new MockEnvironment());
    }

    /** The same, for analyzers that look where a property came from. */
    static FailureAnalysis of(Throwable failure, Environment environment) {
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        SpringFactoriesLoader.ArgumentResolver.of(Environment.class, environment),
                        (type, name, ex) -> {});
        return analyzers.stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no analyzer explains it", failure));
    }
}
