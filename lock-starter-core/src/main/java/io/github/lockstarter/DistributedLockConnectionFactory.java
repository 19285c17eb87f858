package io.github.lockstarter;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code RedisConnectionFactory} bean that distributed locks use. Needed only if an application has several
 * such beans and locks should not use the {@code @Primary} one:
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false)
 * @DistributedLockConnectionFactory
 * LettuceConnectionFactory lockRedis() { … }
 * }</pre>
 *
 * <p>With {@code defaultCandidate = false} the bean is not injected elsewhere, and does not replace the auto-configured
 * connection factory of Spring Boot. Two marked beans of which none is {@code @Primary} fail the start. Modelled on
 * {@code @SpringSessionRedisConnectionFactory} of Spring Session.
 */
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface DistributedLockConnectionFactory {}
