package io.github.lockstarter.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.TestContextManager;

@Timeout(120)
class UseRedisProcessTest {

    @SpringBootTest(classes = Application.class)
    @UseRedisProcess
    abstract static class OnRedis {

        @Autowired
        private LockRegistry registry;

        @Autowired
        private StringRedisTemplate template;

        @Autowired
        private RedisProcess redis;

        @Test
        void shouldLockInTheProcess(@Autowired Environment environment) throws Exception {
            try (Lease lease = this.registry.acquire(LockRequest.of("job", "1"))) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(this.template.hasKey("lock:{job:1}")).isTrue();
            }
            assertThat(environment.getProperty("spring.data.redis.port", Integer.class))
                    .isEqualTo(this.redis.port());
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class)
    class Plain extends OnRedis {

        /** A profile of the application may switch it on. */
        @Test
        void shouldNotWarmUp(@Autowired Environment environment) {
            assertThat(environment.getProperty("distributed-lock.warm-up")).isEqualTo("false");
        }
    }

    @Nested
    @SpringBootTest(
            classes = Application.class,
            properties = {
                "spring.data.redis.host=127.0.0.2",
                "spring.data.redis.port=1",
                "spring.data.redis.username=app",
                "spring.data.redis.password=secret",
                "spring.data.redis.ssl.enabled=true",
                "spring.data.redis.database=3"
            })
    class InsteadOfAHost extends OnRedis {}

    @Nested
    @SpringBootTest(classes = Application.class, properties = "spring.data.redis.url=rediss://app:secret@127.0.0.2:1")
    class InsteadOfAUrl extends OnRedis {}

    @Test
    void shouldEndTheProcessWithTheContext() throws Exception {
        TestContextManager manager = new TestContextManager(Ending.class);
        ConfigurableApplicationContext context =
                (ConfigurableApplicationContext) manager.getTestContext().getApplicationContext();
        RedisProcess redis = context.getBean(RedisProcess.class);
        assertThat(redis.process().isAlive()).isTrue();

        manager.getTestContext().markApplicationContextDirty(DirtiesContext.HierarchyMode.EXHAUSTIVE);

        assertThat(context.isActive()).isFalse();
        assertThat(redis.process().isAlive()).isFalse();
    }

    @Test
    void shouldRejectATopologyThatWouldBeUsedInstead() {
        assertRejected("cluster.nodes[0]", "spring.data.redis.cluster");
        assertRejected("sentinel.master", "spring.data.redis.sentinel");
        assertRejected("masterreplica.nodes", "spring.data.redis.masterreplica");
    }

    private static void assertRejected(String property, String named) {
        MockEnvironment environment =
                new MockEnvironment().withProperty("spring.data.redis." + property, "10.0.0.1:6379");

        assertThatThrownBy(() -> new RedisProcessConfiguration()
                        .lockTestRedisProcess(environment)
                        .close())
                .as(Map.of(property, named).toString())
                .hasMessageContaining(named);
    }

    @SpringBootTest(classes = Application.class, properties = "spring.application.name=ending")
    @UseRedisProcess
    static class Ending {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
