package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.redis.script.LuaScript;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Registers the hints that the store needs in a native image: its scripts, and the fields that it reads by reflection.
 */
final class RedisStoreHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern(LuaScript.class.getPackageName().replace('.', '/') + "/*.lua");
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        "io.lettuce.core.AbstractRedisClient",
                        client -> client.withField(PipelineGuard.CHANNELS))
                .registerTypeIfPresent(
                        classLoader,
                        "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
                        factory -> factory.withField(DerivedFactory.CONFIGURATION));
    }
}
