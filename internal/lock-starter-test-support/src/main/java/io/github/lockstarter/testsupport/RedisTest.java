package io.github.lockstarter.testsupport;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that needs Redis. Its methods and constructor may ask for the {@link RedisServer}, which all such tests of a
 * JVM share, for a {@link RedisCli} of their own, and for the {@link FaultProxy} in front of the server. Before each
 * test the server runs and is empty, and the network is fine.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Tag("redis")
@ExtendWith(RedisExtension.class)
public @interface RedisTest {}
