package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.health.boot3.DistributedLockBoot3HealthAutoConfiguration;
import io.github.lockstarter.integration.DistributedLockIntegrationAutoConfiguration;
import io.github.lockstarter.jdbc.DistributedLockFenceAutoConfiguration;
import io.github.lockstarter.leader.DistributedLockLeaderAutoConfiguration;
import io.github.lockstarter.shedlock.DistributedLockShedLockAutoConfiguration;
import io.github.lockstarter.test.UseRedisProcess;
import io.github.lockstarter.ui.DistributedLockPageAutoConfiguration;
import java.io.IOException;
import java.io.InputStream;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.asm.ClassReader;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** Everything that our classes use exists in this line, also where no test of this module comes along. */
class LinkageTest {

    /** Of the two auto-configurations of health, one is for the other lines and never loaded. */
    private static final Pattern HEALTH_OF_OTHER_LINES = Pattern.compile(
            System.getProperty("line.spring-boot").startsWith("3.")
                    ? ".* -> @?org/springframework/boot/health/.*"
                    : ".* -> @?org/springframework/boot/actuate/(autoconfigure/)?health/.*");

    /** An application that weaves has it; nothing else may need it. */
    private static final Pattern WEAVER =
            Pattern.compile("io/github/lockstarter/aop/(DistributedLockAspect|JoinPointInvocation)\\b.* -> @?org/aspectj/.*");

    /** Spring Integration 6 gets another registry. */
    private static final Pattern INTEGRATION_7 = Pattern.compile(
            "io/github/lockstarter/integration/(IntegrationLockRegistry|DistributedIntegrationLock)\\b.*"
                    + " -> @?org/springframework/integration/support/locks/DistributedLock\\b.*");

    @ParameterizedTest
    @ValueSource(
            classes = {
                LockRegistry.class,
                DistributedLockAutoConfiguration.class,
                DistributedLockBoot3HealthAutoConfiguration.class,
                DistributedLockIntegrationAutoConfiguration.class,
                DistributedLockShedLockAutoConfiguration.class,
                DistributedLockFenceAutoConfiguration.class,
                DistributedLockLeaderAutoConfiguration.class,
                DistributedLockPageAutoConfiguration.class,
                UseRedisProcess.class
            })
    void shouldFindAllThatTheJarUses(Class<?> inside) throws IOException {
        ClassFiles classPath = new ClassFiles();
        Set<String> missing = new TreeSet<>();
        int read = 0;

        for (Resource file : classes(inside)) {
            References references = new References(classPath);
            try (InputStream in = file.getInputStream()) {
                new ClassReader(in).accept(references, ClassReader.SKIP_DEBUG);
            }
            missing.addAll(references.missing());
            read++;
        }
        missing.removeIf(each -> HEALTH_OF_OTHER_LINES.matcher(each).matches()
                || WEAVER.matcher(each).matches()
                || INTEGRATION_7.matcher(each).matches());

        assertThat(read).isGreaterThan(1);
        assertThat(missing).isEmpty();
    }

    private static Resource[] classes(Class<?> inside) throws IOException {
        String location =
                inside.getProtectionDomain().getCodeSource().getLocation().toString();
        String root = location.endsWith(".jar") ? "jar:" + location + "!/" : location;
        return new PathMatchingResourcePatternResolver().getResources(root + "**/*.class");
    }
}
