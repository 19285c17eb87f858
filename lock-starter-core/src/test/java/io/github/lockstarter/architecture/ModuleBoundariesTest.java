package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Classes of core that other modules use: the API, the SPI of stores, and the internals that are named here. Everything
 * else may change without a look at them. The BOM has the modules that are published, and nothing that it would bring
 * along.
 */
class ModuleBoundariesTest {

    private static final Path ROOT = Path.of("..");

    private static final List<String> MODULES = List.of(
            "lock-starter-autoconfigure",
            "extensions/lock-starter-health-boot3",
            "extensions/lock-starter-jdbc",
            "extensions/lock-starter-leader",
            "extensions/lock-starter-shedlock",
            "extensions/lock-starter-spring-integration",
            "extensions/lock-starter-test",
            "extensions/lock-starter-ui",
            "lock-starter-sample");

    /** What auto-configuration creates, and the texts that the adapters share. */
    private static final Set<String> INTERNALS = Set.of(
            "aop.DistributedLockBeanPostProcessor",
            "aop.GuardedMethod",
            "aop.GuardingBeanPostProcessor",
            "aop.LockNameListener",
            "aop.LockSite",
            "aop.ResultKind",
            "registry.AcquireObserver",
            "registry.GrantFence",
            "registry.HandOffSettings",
            "registry.LeasingLockRegistry",
            "registry.LockSettings",
            "registry.MeterListener",
            "registry.RegistryStatistics",
            "registry.ReleaseMode",
            "key.DeferredTypes",
            "key.StableText",
            "key.UnstableTextException",
            "named.AnnotatedLock",
            "named.NamedSettings",
            "named.NamedValue",
            "named.SettingsByName",
            "metrics.AcquisitionObservations",
            "metrics.AcquisitionsAreTimed",
            "metrics.LockAcquisitionConvention",
            "metrics.LockGauges",
            "metrics.MicrometerLockListener",
            "store.redis.RedisLockStore",
            "store.redis.RedisStoreSettings",
            "store.redis.script.LockKeys",
            "text.LockLog",
            "text.LoggedNames",
            "text.Printable",
            "tx.CommitGuard",
            "tx.GuardedLeases");

    private static final Pattern USE = Pattern.compile(
            "\\bio\\.github\\.lockstarter\\.((?:aop|engine|key|lock|metrics|named|registry|store|text|tx)(?:\\.[a-z]\\w*)*\\.[A-Z]\\w*)");

    private static final Pattern MODULE = Pattern.compile("<module>([\\w./-]+)</module>");

    private static final Pattern MANAGED = Pattern.compile(
            "<dependency>\\s*<groupId>io\\.github\\.lockstarter</groupId>\\s*<artifactId>([\\w.-]+)</artifactId>\\s*<version>");

    private static final Pattern DEPENDENCY = Pattern.compile("<dependency>(.*?)</dependency>", Pattern.DOTALL);

    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>([\\w.-]+)</artifactId>");

    private static final Pattern ACTION = Pattern.compile("\\buses: +(.+)");

    /** All of them are part of {@code spring-boot-starter-data-redis}. */
    private static final Set<String> DECLARED_DEPENDENCIES = Set.of(
            "jspecify",
            "spring-aop",
            "spring-boot-autoconfigure",
            "spring-context",
            "spring-data-redis",
            "spring-expression",
            "spring-boot-starter-data-redis");

    @Test
    void shouldUseTheApiAndNamedInternalsOnly() {
        Set<String> used = new TreeSet<>();
        for (String module : MODULES) {
            for (Path file : MessageRulesTest.files(
                            ROOT.resolve(module).resolve(Path.of("src", "main", "java")), ".java")
                    .toList()) {
                used.addAll(all(USE, MessageRulesTest.text(file)));
            }
        }
        used.removeIf(name -> name.matches("store\\.[A-Z]\\w*"));
        assertThat(used).containsExactlyInAnyOrderElementsOf(INTERNALS);
    }

    @Test
    void shouldHaveAllPublishedModulesInTheBom() {
        String bom = pom("extensions/lock-starter-bom");
        List<String> published =
                published().stream().map(ModuleBoundariesTest::name).toList();
        assertThat(all(MANAGED, bom)).containsExactlyInAnyOrderElementsOf(published);
        assertThat(bom).doesNotContain("<parent>", "<scope>import</scope>");
        assertThat(all(MODULE, pom(".").split("<profiles>", 2)[0]).stream().map(ModuleBoundariesTest::name))
                .as("modules built by -Dpublished")
                .containsAll(published);
        Pattern version = Pattern.compile("<version>([^<]+)</version>");
        assertThat(all(version, bom).get(0)).isEqualTo(all(version, pom(".")).get(0));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS) // runs a script of the shell
    void shouldListAllPublishedModules() throws Exception {
        assertThat(lines(".ci/published-modules"))
                .as("modules of the build that do not set maven.deploy.skip, the BOM and the parent")
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                published().stream().map(ModuleBoundariesTest::name),
                                Stream.of("lock-starter-bom", "lock-starter-parent"))
                        .toList());
    }

    @Test
    @DisabledOnOs(OS.WINDOWS) // runs a script of the shell
    void shouldAttestTheFilesOfAllPublishedModules() throws Exception {
        assertThat(lines(".ci/published-files"))
                .containsExactlyInAnyOrderElementsOf(Stream.of(
                                published().stream()
                                        .flatMap(module -> Stream.of("*.jar", "*.pom", "*-cyclonedx.json")
                                                .map(kind -> module + "/target/" + name(module) + "-" + kind)),
                                Stream.of("*.pom", "*-cyclonedx.json")
                                        .flatMap(kind -> Stream.of(
                                                "extensions/lock-starter-bom/target/lock-starter-bom-" + kind,
                                                "target/lock-starter-parent-" + kind)))
                        .flatMap(files -> files)
                        .toList());
        assertThat(MessageRulesTest.text(ROOT.resolve(".github/workflows/release.yml")))
                .containsOnlyOnce("$(.ci/published-files)")
                .containsOnlyOnce("subject-path: ${{ steps.published.outputs.files }}\n")
                .containsOnlyOnce("subject-path");
    }

    @Test
    void shouldPinTheActionsOfWorkflowsByCommit() {
        List<String> uses = MessageRulesTest.files(ROOT.resolve(".github/workflows"), ".yml")
                .flatMap(file -> all(ACTION, MessageRulesTest.text(file)).stream())
                .toList();
        assertThat(uses)
                .isNotEmpty()
                .allSatisfy(action -> assertThat(action)
                        .as("a commit, and the version in a comment")
                        .matches("[\\w.-]+/[\\w./-]+@[0-9a-f]{40} # v\\d+(\\.\\d+){2}"));
    }

    @Test
    void shouldAddNothingToTheDependenciesOfSpringDataRedis() {
        Set<String> added = new TreeSet<>();
        for (String module : List.of(
                "lock-starter",
                "lock-starter-core",
                "lock-starter-autoconfigure",
                "extensions/lock-starter-health-boot3")) {
            String pom = pom(module).split("<build>|<profiles>", 2)[0];
            all(DEPENDENCY, pom.substring(pom.lastIndexOf("<dependencies>"))).stream()
                    .filter(text -> !text.matches("(?s).*<(optional>true|scope>test|scope>provided)<.*"))
                    .flatMap(text -> all(ARTIFACT, text).stream())
                    .filter(artifact -> !artifact.startsWith("lock-starter"))
                    .forEach(added::add);
        }
        assertThat(added).containsExactlyInAnyOrderElementsOf(DECLARED_DEPENDENCIES);
    }

    /** Returns the folders of the published modules but that of the BOM, which has no jar. */
    private static List<String> published() {
        return all(MODULE, pom(".")).stream()
                .filter(module -> !module.endsWith("/lock-starter-bom"))
                .filter(module -> !pom(module).contains("<maven.deploy.skip>true</maven.deploy.skip>"))
                .toList();
    }

    private static List<String> lines(String program) throws Exception {
        Process script = new ProcessBuilder("bash", program)
                .directory(ROOT.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> lines = script.inputReader(StandardCharsets.UTF_8).lines().toList();
        assertThat(script.waitFor()).as("exit code of " + program).isZero();
        return lines;
    }

    private static String name(String module) {
        return module.substring(module.indexOf('/') + 1);
    }

    private static String pom(String module) {
        return MessageRulesTest.text(ROOT.resolve(module).resolve("pom.xml"));
    }

    private static List<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }
}
