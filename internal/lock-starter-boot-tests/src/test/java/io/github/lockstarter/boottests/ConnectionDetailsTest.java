package io.github.lockstarter.boottests;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.testsupport.RedisCli;
import io.github.lockstarter.testsupport.RedisSentinels;
import io.github.lockstarter.testsupport.RedisServer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * A bean with connection details, as Testcontainers and Docker Compose define one, instead of properties. The type has
 * another name in each generation of Spring Boot, and the same methods.
 */
class ConnectionDetailsTest {

    private static final Class<?> DETAILS = type(
            "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails",
            "org.springframework.boot.autoconfigure.data.redis.RedisConnectionDetails");

    @Test
    void shouldReachThePrivateConnection() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisCli redis = server.cli()) {
            redis.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all");
            Object standalone =
                    details("Standalone", Map.of("getHost", "127.0.0.1", "getPort", server.port(), "getDatabase", 3));
            Map<String, Object> details =
                    Map.of("getUsername", "app", "getPassword", "secret", "getStandalone", standalone);
            try (ConfigurableApplicationContext application = start(details);
                    Lease lease =
                            application.getBean(LockRegistry.class).acquire(LockRequest.of("details", ""))) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(Clients.named(redis, "details:locks")).isNotEmpty().allSatisfy(line -> assertThat(line)
                        .contains(" user=app "));
                assertThat(redis.exists("lock:{details}")).isFalse();
                redis.command("SELECT", "3");
                assertThat(redis.exists("lock:{details}")).isTrue();
            }
        }
    }

    @Test
    void shouldReachThePrivateConnectionToTheMasterOfSentinels() throws Exception {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            List<Object> nodes = sentinels.sentinelPorts().stream()
                    .map(ConnectionDetailsTest::node)
                    .toList();
            Object sentinel = details(
                    "Sentinel", Map.of("getDatabase", 0, "getMaster", RedisSentinels.MASTER_NAME, "getNodes", nodes));
            Map<String, Object> details = Map.of("getPassword", RedisSentinels.PASSWORD, "getSentinel", sentinel);
            try (ConfigurableApplicationContext application = start(details);
                    Lease lease =
                            application.getBean(LockRegistry.class).acquire(LockRequest.of("details", ""));
                    RedisCli master = sentinels.master().cli()) {
                assertThat(lease.isHeld()).isTrue();
                assertThat(master.exists("lock:{details}")).isTrue();
            }
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static ConfigurableApplicationContext start(Map<String, Object> details) {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean("redisDetails", (Class) DETAILS, () -> proxy(DETAILS, details)))
                // what the bean replaces
                .properties("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=1")
                .run("--spring.data.redis.client-name=details");
    }

    private static Object details(String nested, Map<String, Object> values) {
        return proxy(type(DETAILS.getName() + "$" + nested), values);
    }

    private static Object node(int port) {
        try {
            return type(DETAILS.getName() + "$Node")
                    .getConstructor(String.class, int.class)
                    .newInstance("127.0.0.1", port);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("Unknown kind of connection details", e);
        }
    }

    /** Answers with the values, or else as the interface does. */
    private static Object proxy(Class<?> type, Map<String, Object> values) {
        InvocationHandler handler = (self, method, args) -> {
            if (values.containsKey(method.getName())) {
                return values.get(method.getName());
            }
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(self, method, args);
            }
            return switch (method.getName()) {
                case "equals" -> self == args[0];
                case "hashCode" -> System.identityHashCode(self);
                case "toString" -> values.toString();
                default -> null;
            };
        };
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private static Class<?> type(String... names) {
        ClassLoader loader = ConnectionDetailsTest.class.getClassLoader();
        for (String name : List.of(names)) {
            if (ClassUtils.isPresent(name, loader)) {
                return ClassUtils.resolveClassName(name, loader);
            }
        }
        throw new AssertionError("none of " + List.of(names));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
