package io.github.lockstarter;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code RedisConnectionFactory} bean that distributed locks use. It is needed only if an application has
 * several of them and locks are not to use the {@code @Primary} one, which they use otherwise:
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false)
 * @DistributedLockConnectionFactory
 * LettuceConnectionFactory lockRedis() { … }
 * }</pre>
 *
 * <p>With {@code defaultCandidate = false} the bean is injected nowhere else, and the auto-configured connection factory
 * of Spring Boot is defined as if it was not there. Two marked beans, none of them {@code @Primary}, fail the start.
 *
 * <p>The idea is that of Spring Session's {@code @SpringSessionRedisConnectionFactory}.
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface DistributedLockConnectionFactory {}
