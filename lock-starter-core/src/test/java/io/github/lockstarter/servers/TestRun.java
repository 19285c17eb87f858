package io.github.lockstarter.servers;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;
import static org.junit.platform.launcher.EngineFilter.includeEngines;
import static org.junit.platform.launcher.TagFilter.excludeTags;
import static org.junit.platform.launcher.TagFilter.includeTags;
import static org.junit.platform.launcher.listeners.discovery.LauncherDiscoveryListeners.abortOnFailure;

import io.github.lockstarter.backing.RedisBinary;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * One run, on one server, of the tests whose outcome depends on the server: the contract of stores and registries, the
 * scripts, permissions and refusals, and failover behind Sentinels and in a cluster.
 */
final class TestRun {

    private static final String ROOT = "io.github.lockstarter.";

    /** All tests in them that need Redis. */
    private static final List<String> PACKAGES = List.of("store", "contract", "topology");

    private static final List<String> CLASSES = List.of(
            "LeastPrivilegeTest",
            "RefusalTest",
            "FullRedisTest",
            "DamagedKeyTest",
            "ConnectionTest",
            "SingleShardTest");

    private static final int STACK_LINES = 30;

    private final TestExecutionSummary summary;

    private TestRun(TestExecutionSummary summary) {
        this.summary = summary;
    }

    /** Runs the tests. They find the server by system properties, so there can be one run at a time. */
    static TestRun on(RedisBinary server) {
        Map<String, String> before = new HashMap<>();
        Map.of("lock.test.redis", "local", "lock.test.redis.bin", server.path().toString())
                .forEach((name, value) -> before.put(name, System.setProperty(name, value)));
        try {
            SummaryGeneratingListener listener = new SummaryGeneratingListener();
            // what the outer run registers is for the outer run
            LauncherConfig plain = LauncherConfig.builder()
                    .enableLauncherSessionListenerAutoRegistration(false)
                    .enableLauncherDiscoveryListenerAutoRegistration(false)
                    .enablePostDiscoveryFilterAutoRegistration(false)
                    .enableTestExecutionListenerAutoRegistration(false)
                    .build();
            LauncherFactory.create(plain).execute(request(), listener);
            return new TestRun(listener.getSummary());
        } finally {
            before.forEach((name, value) -> {
                String unused = value == null ? System.clearProperty(name) : System.setProperty(name, value);
            });
        }
    }

    private static LauncherDiscoveryRequest request() {
        List<DiscoverySelector> selectors = new ArrayList<>();
        PACKAGES.forEach(name -> selectors.add(selectPackage(ROOT + name)));
        CLASSES.forEach(name -> selectors.add(selectClass(ROOT + "faults." + name)));
        return LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .filters(includeEngines("junit-jupiter"), includeTags("redis"), excludeTags("soak"))
                .listeners(abortOnFailure())
                .build();
    }

    long succeeded() {
        return this.summary.getTestsSucceededCount();
    }

    /** What failed, and why. */
    List<String> failures() {
        return this.summary.getFailures().stream()
                .map(failure ->
                        failure.getTestIdentifier().getUniqueId().replace(ROOT, "") + ": " + failure.getException())
                .toList();
    }

    /** The same with stack traces: a run takes minutes, and what fails by chance does not fail again for a debugger. */
    String details() {
        StringWriter text = new StringWriter();
        this.summary.printFailuresTo(new PrintWriter(text), STACK_LINES);
        return text.toString();
    }

    String counts() {
        return this.summary.getTestsSucceededCount() + " passed, " + this.summary.getTestsFailedCount() + " failed, "
                + (this.summary.getTestsSkippedCount() + this.summary.getTestsAbortedCount()) + " skipped";
    }
}
