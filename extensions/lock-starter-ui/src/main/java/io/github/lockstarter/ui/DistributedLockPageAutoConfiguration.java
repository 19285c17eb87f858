package io.github.lockstarter.ui;

import io.github.lockstarter.DistributedLockConnectionFactory;
import io.github.lockstarter.InvalidLockSettingException;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.DistributedLockProperties;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.text.LockLog;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.WebEndpointHttpMethod;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.web.context.WebApplicationContext;

/**
 * Auto-configuration of the locks page; {@link LocksPageConfiguration} adds it to the server that serves the endpoints.
 */
@AutoConfiguration(after = DistributedLockAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnBooleanProperty(LocksPageProperties.ENABLED)
@ConditionalOnWebApplication
@EnableConfigurationProperties(LocksPageProperties.class)
@ImportRuntimeHints(LocksPageHints.class)
public final class DistributedLockPageAutoConfiguration {

    private static final LockLog logger = LockLog.of(DistributedLockPageAutoConfiguration.class);

    /** A request keeps a thread of the server, and its user waits. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(3);

    @Bean
    EndpointRights distributedLockPageRights(
            ObjectProvider<WebEndpointsSupplier> endpoints,
            ObjectProvider<PathMappedEndpoints> paths,
            Environment environment) {
        return new EndpointRights(endpoints, paths, environment);
    }

    /** Logs why the page is not served, if it is not. */
    @Bean
    @Lazy(false)
    SmartInitializingSingleton distributedLockPageCheck(
            LocksPageProperties properties, EndpointRights rights, ApplicationContext context) {
        return () -> {
            String endpoint = rights.path();
            if (endpoint != null && (endpoint + '/').startsWith(properties.path() + '/')) {
                throw new InvalidLockSettingException(
                        "ui.path",
                        properties.path(),
                        "must not be the path of the endpoint \"locks\"",
                        "Choose another path.");
            }
            String why = null;
            if (ManagementPortType.get(context.getEnvironment()) == ManagementPortType.DISABLED) {
                why = "management.server.port switches off the endpoints";
            } else if (context.getBeanNamesForType(LockInventory.class).length == 0) {
                why = "the LockRegistry bean of the application does not implement LockInventory";
            } else if (!(context instanceof WebApplicationContext)) {
                why = "it needs a server with servlets, and this application uses WebFlux. Set the property to false";
            } else if (!rights.permits(WebEndpointHttpMethod.GET)) {
                why = "the endpoint \"locks\" is not exposed over HTTP. Add locks to"
                        + " management.endpoints.web.exposure.include, and see management.endpoint.locks.access";
            }
            if (why != null) {
                logger.warn(LocksPageProperties.ENABLED + " is true, but the locks page is not served, because " + why
                        + '.');
            }
        };
    }

    @Bean
    @Lazy
    LocksOverview distributedLockPageOverview(
            LockInventory inventory,
            LockRegistry registry,
            ObjectProvider<LockScan> scan,
            DistributedLockProperties properties) {
        return new LocksOverview(inventory, registry, scan.getIfAvailable(), limit(properties));
    }

    /** Creates the scan over the connection factory of the store; null, which defines no bean, for another store. */
    @Bean
    @Lazy
    @Nullable
    LockScan distributedLockPageScan(
            ObjectProvider<LockStore> store,
            @DistributedLockConnectionFactory ObjectProvider<RedisConnectionFactory> marked,
            ObjectProvider<RedisConnectionFactory> factories,
            DistributedLockProperties properties) {
        if (!(store.getIfUnique() instanceof RedisLockStore)) {
            return null;
        }
        RedisConnectionFactory factory = marked.getIfUnique(factories::getObject);
        return new LockScan(factory, properties.keyPrefix(), limit(properties));
    }

    /** Returns how long a request waits for the names of locks, and then for their descriptions. */
    private static Duration limit(DistributedLockProperties properties) {
        Duration timeout = properties.redis().commandTimeout();
        return timeout != null && timeout.compareTo(MAX_WAIT) < 0 ? timeout : MAX_WAIT;
    }
}
