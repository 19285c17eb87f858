package io.github.lockstarter.sample.redis;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether somebody says where Redis is, in whatever notation: an argument, an environment variable, a list in YAML. */
class RedisIsConfigured implements Condition {

    private static final Set<String> ADDRESSES = Set.of("url", "host", "port", "cluster", "sentinel", "masterreplica");

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Map<String, Object> redis = Binder.get(context.getEnvironment())
                .bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of());
        return !Collections.disjoint(redis.keySet(), ADDRESSES);
    }
}
