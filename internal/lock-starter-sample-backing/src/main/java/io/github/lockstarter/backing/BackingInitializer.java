package io.github.lockstarter.backing;

import java.net.Socket;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/** Configures the Redis and the database of the {@link BackingProcess}, each unless another one is configured. */
public final class BackingInitializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final Set<String> ADDRESSES = Set.of("url", "host", "port", "cluster", "sentinel", "masterreplica");

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        ConfigurableEnvironment environment = context.getEnvironment();
        Binder binder = Binder.get(environment);
        Map<String, Object> redis = binder.bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of());
        boolean hasRedis = !Collections.disjoint(redis.keySet(), ADDRESSES);
        boolean hasDatabase = environment.containsProperty("spring.datasource.url");
        if (hasRedis && hasDatabase) {
            return;
        }
        BackingProperties properties =
                binder.bind("sample.backing", BackingProperties.class).get();
        Map<String, Object> added = new HashMap<>();
        if (!hasRedis) {
            added.put("spring.data.redis.host", BackingProperties.HOST);
            added.put("spring.data.redis.port", properties.redisPort());
        }
        if (!hasDatabase) {
            added.put("spring.datasource.url", properties.databaseUrl());
        }
        // Open as long as this JVM lives: a singleton is not garbage, and nothing closes it before the services.
        Socket connection = BackingConnection.open(properties.without(hasRedis, hasDatabase));
        context.getBeanFactory().registerSingleton("backingConnection", connection);
        environment.getPropertySources().addLast(new MapPropertySource("backing", added));
    }
}
