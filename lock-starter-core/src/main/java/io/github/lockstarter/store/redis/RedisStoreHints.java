package io.github.lockstarter.store.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image must keep for locks in Redis: the scripts, and the one field that is read by its name. */
final class RedisStoreHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern(RedisStoreHints.class.getPackageName().replace('.', '/') + "/*.lua");
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
                        factory -> factory.withField(DerivedFactory.CONFIGURATION));
    }
}
