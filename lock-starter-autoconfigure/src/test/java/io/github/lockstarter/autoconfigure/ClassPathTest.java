package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is optional may really be missing. */
@RedisTest
class ClassPathTest {

    private static final String[] REDIS = {"spring-data-redis", "spring-boot-data-redis", "lettuce-core"};

    @Test
    void shouldLockInMemoryWithoutAnyRedisClass() {
        assertThat(IsolatedClassPath.run(IsolatedApplication.class, "--distributed-lock.store=memory", REDIS))
                .isEqualTo("locked LockedCounter.count");
    }

    @Test
    @Tag("full")
    void shouldStartWithoutAnyRedisClassWhenNobodyUsesLocks() {
        assertThat(IsolatedClassPath.run(IsolatedApplication.WithoutLocks.class, "", REDIS))
                .isEqualTo("started");
    }

    @ParameterizedTest
    @CsvSource({"micrometer-core, spring-boot-micrometer", "spring-boot-actuator, spring-boot-health"})
    @Tag("full")
    void shouldLockInRedisWithout(String jar, String itsDependent, RedisServer redis) {
        assertThat(IsolatedClassPath.run(IsolatedApplication.class, arguments(redis), jar, itsDependent))
                .isEqualTo("locked LockedCounter.count");
    }

    @ParameterizedTest
    @CsvSource({"true, true", "false, false"})
    @Tag("full")
    void shouldLockInRedisWithoutAspectJWhateverAopIsTold(boolean auto, boolean proxyTargetClass, RedisServer redis) {
        String aop = " --spring.aop.auto=" + auto + " --spring.aop.proxy-target-class=" + proxyTargetClass;

        assertThat(IsolatedClassPath.run(IsolatedApplication.class, arguments(redis) + aop, "aspectjweaver"))
                .isEqualTo("locked LockedCounter.count");
    }

    private static String arguments(RedisServer redis) {
        return "--spring.data.redis.host=" + redis.host() + " --spring.data.redis.port=" + redis.port();
    }
}
