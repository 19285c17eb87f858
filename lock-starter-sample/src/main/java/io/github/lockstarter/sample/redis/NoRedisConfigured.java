package io.github.lockstarter.sample.redis;

import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Conditional;

/** The opposite of {@link RedisIsConfigured}. */
class NoRedisConfigured extends NoneNestedConditions {

    NoRedisConfigured() {
        super(ConfigurationPhase.REGISTER_BEAN);
    }

    @Conditional(RedisIsConfigured.class)
    static class Configured {}
}
