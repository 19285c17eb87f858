package io.github.lockstarter.leader;

import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Makes the {@code watchdog-timeout} of roles the one of their locks, as properties with the lowest precedence. So the
 * rules for the times of locks apply to those of roles.
 */
final class LeaderLeases implements BeanFactoryPostProcessor {

    private static final String SOURCE = "distributedLockLeaderRoles";

    private final ConfigurableEnvironment environment;

    LeaderLeases(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        Map<String, Object> properties = new HashMap<>();
        Map<String, LeaderProperties.Role> bound = Binder.get(this.environment)
                .bind("distributed-lock.leader.roles", Bindable.mapOf(String.class, LeaderProperties.Role.class))
                .orElse(Map.of());
        // Checks the settings, so that an error names the property of the role and not that of its lock.
        new LeaderProperties(bound).roles().forEach((role, settings) -> {
            if (settings.watchdogTimeout() != null) {
                String lock = RoleRunner.lockName(role);
                // The second form is that of environment variables, in which the role may be written.
                for (String name : new String[] {'[' + lock + ']', LeaderProperties.variable(lock)}) {
                    properties.put(
                            "distributed-lock.locks." + name + ".watchdog-timeout",
                            settings.watchdogTimeout().toMillis() + "ms");
                }
            }
        });
        if (!properties.isEmpty() && !this.environment.getPropertySources().contains(SOURCE)) {
            this.environment.getPropertySources().addLast(new MapPropertySource(SOURCE, properties));
        }
    }
}
