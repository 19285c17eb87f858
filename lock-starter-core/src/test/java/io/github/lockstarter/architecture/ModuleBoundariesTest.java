package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Classes of core that other modules use: the API, the SPI of stores, and the internals that are named here. Everything
 * else may change without a look at them.
 */
class ModuleBoundariesTest {

    private static final List<String> MODULES = List.of(
            "lock-starter-autoconfigure",
            "extensions/lock-starter-health-boot3",
            "extensions/lock-starter-shedlock",
            "extensions/lock-starter-spring-integration",
            "extensions/lock-starter-test",
            "lock-starter-sample");

    /** What auto-configuration creates, and the texts that the adapters share. */
    private static final Set<String> INTERNALS = Set.of(
            "aop.DistributedLockBeanPostProcessor",
            "aop.LockNameListener",
            "engine.AcquireObserver",
            "engine.HandOffSettings",
            "engine.LeasingLockRegistry",
            "engine.LockSettings",
            "engine.MeterListener",
            "engine.RegistryStatistics",
            "engine.ReleaseMode",
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
            "text.DurationText",
            "text.LockLog",
            "text.Printable",
            "tx.CommitGuard");

    private static final Pattern USE = Pattern.compile(
            "\\bio\\.github\\.lockstarter\\.((?:aop|engine|key|metrics|named|store|text|tx)(?:\\.[a-z]\\w*)*\\.[A-Z]\\w*)");

    @Test
    void shouldUseTheApiAndNamedInternalsOnly() {
        Set<String> used = new TreeSet<>();
        for (String module : MODULES) {
            sources(Path.of("..", module, "src", "main", "java")).forEach(source -> {
                Matcher matcher = USE.matcher(source);
                while (matcher.find()) {
                    used.add(matcher.group(1));
                }
            });
        }

        used.removeIf(name -> name.matches("store\\.[A-Z]\\w*"));
        assertThat(used).containsExactlyInAnyOrderElementsOf(INTERNALS);
    }

    private static List<String> sources(Path folder) {
        assertThat(folder).isDirectory();
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(ModuleBoundariesTest::text)
                    .toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
