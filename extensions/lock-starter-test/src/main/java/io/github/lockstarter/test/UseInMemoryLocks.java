package io.github.lockstarter.test;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.TestPropertySource;

/**
 * Keeps the locks of a test in memory. Waiting, reentrancy, renewal, loss and fencing tokens are the same as with the
 * store in Redis. Each application context has its own locks.
 *
 * <p>Applies to tests that start an application context of Spring Boot: with {@code @SpringBootTest}, and with slices
 * such as {@code @WebMvcTest}, to which it adds the locks.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@TestPropertySource(properties = "distributed-lock.store=memory")
@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
public @interface UseInMemoryLocks {}
