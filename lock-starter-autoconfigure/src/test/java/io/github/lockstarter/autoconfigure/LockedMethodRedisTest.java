package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

@RedisTest
class LockedMethodRedisTest {

    private final RedisServer redis;

    private final RedisCli cli;

    LockedMethodRedisTest(RedisServer redis, RedisCli cli) {
        this.redis = redis;
        this.cli = cli;
    }

    @ParameterizedTest
    @CsvSource({
        "true,  true,  true",
        "true,  true,  false",
        "true,  false, true",
        "true,  false, false",
        "false, true,  true",
        "false, true,  false",
        "false, false, true",
        "false, false, false"
    })
    void shouldHoldItsLockForAsLongAsItRuns(boolean aspectj, boolean auto, boolean proxyTargetClass) {
        application(aspectj)
                .withPropertyValues("spring.aop.auto=" + auto, "spring.aop.proxy-target-class=" + proxyTargetClass)
                .run(context -> {
                    String key = "lock:{orders:42}";

                    assertThat(context.getBean(Orders.class).place("42", () -> exists(key)))
                            .isTrue();
                    assertThat(exists(key)).isFalse();
                });
    }

    @Test
    void shouldUseTheConfiguredPrefix() {
        application(true)
                .withPropertyValues("distributed-lock.key-prefix=shop")
                .run(context -> assertThat(context.getBean(Orders.class).place("42", () -> exists("shop:{orders:42}")))
                        .isTrue());
    }

    private ApplicationContextRunner application(boolean aspectj) {
        ApplicationContextRunner application =
                TestContexts.application(this.redis).withBean(Orders.class, ShopOrders::new);
        return aspectj ? application : application.withClassLoader(new FilteredClassLoader("org.aspectj"));
    }

    private boolean exists(String key) {
        return this.cli.exists(key);
    }

    // Public, because the proxies of a filtering class loader are in a package of their own.
    public interface Orders {

        boolean place(String id, BooleanSupplier condition);
    }

    public static class ShopOrders implements Orders {

        @DistributedLock(name = "orders", key = "#id")
        @Override
        public boolean place(String id, BooleanSupplier condition) {
            return condition.getAsBoolean();
        }
    }
}
