package io.github.lockstarter.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The specification holds, and without any one of the rules of the design it does not. */
class SpecificationTest {

    private static final Pattern RULE = Pattern.compile("Keeps\\(\"([^\"]+)\"\\)");

    private static final Pattern EXTENDED = Pattern.compile("^EXTENDS (\\w+)", Pattern.MULTILINE);

    @TempDir
    static Path scratch;

    private static ModelChecker checker;

    @BeforeAll
    static void startChecker() {
        checker = new ModelChecker(scratch);
    }

    @AfterAll
    static void stopChecker() throws InterruptedException {
        checker.close();
    }

    static List<Configuration> holding() throws IOException {
        return Configuration.in("holds");
    }

    static List<Configuration> broken() throws IOException {
        return Configuration.in("broken");
    }

    private static void assumeWanted(Configuration configuration) {
        assumeThat(configuration.isWanted())
                .as(configuration + " is not what -Dspec.only names")
                .isTrue();
        assumeThat(configuration.isOnRequest() && !Boolean.getBoolean("spec.long"))
                .as(configuration + " runs with -Dspec.long=true or, if it is in broken, if -Dspec.only names it")
                .isFalse();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("holding")
    void shouldHold(Configuration configuration, TestReporter reporter) throws Exception {
        assumeWanted(configuration);
        ModelChecker.Result result = checker.check(configuration);

        assertThat(configuration.dropped()).isEqualTo("none");
        assertThat(configuration.checked()).isNotEmpty();
        assertThat(result.holds()).as(result.output()).isTrue();
        assertThat(result.distinctStates()).isGreaterThan(100);
        reporter.publishEntry("distinct states", Long.toString(result.distinctStates()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("broken")
    void shouldBeViolatedWithoutTheRule(Configuration configuration, TestReporter reporter) throws Exception {
        assumeWanted(configuration);
        assertThat(configuration.checked()).hasSize(1);
        String checked = configuration.checked().get(0);

        ModelChecker.Result result = checker.check(configuration);

        assertThat(result.output())
                .contains(
                        configuration.checksLiveness()
                                ? "Temporal properties were violated."
                                : "Invariant " + checked + " is violated.");
        assertThat(result.traceLength()).isGreaterThan(3);
        reporter.publishEntry("states of the counterexample", Integer.toString(result.traceLength()));
    }

    @Test
    void shouldBreakEveryRuleThatAModuleNames() throws IOException {
        Set<String> named = new TreeSet<>();
        for (Configuration configuration : holding()) {
            String module = configuration.module();
            RULE.matcher(withParts(module)).results().forEach(rule -> named.add(module + ": " + rule.group(1)));
        }

        assertThat(broken())
                .extracting(configuration -> configuration.module() + ": " + configuration.dropped())
                .containsExactlyInAnyOrderElementsOf(named);
    }

    /** A module together with those that it extends and that are not checked by themselves. */
    private static String withParts(String module) throws IOException {
        Set<String> checked = new TreeSet<>();
        for (Configuration configuration : holding()) {
            checked.add(configuration.module());
        }
        String text = Files.readString(Configuration.HOME.resolve(module + ".tla"));
        Matcher extended = EXTENDED.matcher(text);
        if (!extended.find() || checked.contains(extended.group(1))) {
            return text;
        }
        Path part = Configuration.HOME.resolve(extended.group(1) + ".tla");
        return Files.exists(part) ? text + Files.readString(part) : text;
    }
}
