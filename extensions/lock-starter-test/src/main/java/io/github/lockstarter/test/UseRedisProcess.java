package io.github.lockstarter.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/**
 * Runs a test with a separate Redis server: a process on a free port of the loopback interface, started before the
 * beans of the application context and ended with the context. Contexts that the test framework caches keep their
 * process.
 *
 * <p>The program is the first {@code redis-server} or {@code valkey-server} on the PATH, or else the program of the
 * dependency {@code org.signal:embedded-redis} (Linux and macOS). Without one, the context fails to start.
 *
 * <p>Sets {@code spring.data.redis.url}, {@code host}, {@code port} and {@code ssl.enabled}, which take precedence over
 * the settings of the application. The context fails to start if the application configures a cluster, sentinels or
 * replicas, which Spring Boot would use instead. Sets {@code distributed-lock.warm-up=false}, because a test must not
 * compete with hand-overs of its own.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@TestPropertySource(properties = "distributed-lock.warm-up=false")
@Import(RedisProcessConfiguration.class)
public @interface UseRedisProcess {}
