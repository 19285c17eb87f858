package io.github.lockstarter.testsupport;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that needs several Redis servers. Its methods and constructor may ask for {@link RedisCluster} and {@link
 * RedisSentinels}, which all such tests of a JVM share. Before each test everything runs, as far as it is asked for,
 * and is empty.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Tag("redis")
@ExtendWith(TopologyExtension.class)
public @interface TopologyTest {}
