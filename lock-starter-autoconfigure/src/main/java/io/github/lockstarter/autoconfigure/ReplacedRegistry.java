package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockInventory;
import io.github.lockstarter.registry.RegistryStatistics;
import java.util.Map;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;

/**
 * Removes optional beans of the library if the registry that they describe has been replaced by one of another type, as
 * by {@code @MockitoBean}. The conditions of these beans cannot see that, because tests replace beans after all
 * definitions have been read; this post-processor has no order, and therefore runs after the post-processors of tests.
 */
final class ReplacedRegistry implements BeanFactoryPostProcessor {

    private static final String OURS = "io.github.lockstarter.";

    /** The type that each of the beans requires. The health indicators for Spring Boot 3 and 4 have the same name. */
    private static final Map<String, Class<?>> REQUIRED = Map.of(
            "distributedLockEndpoint", LockInventory.class,
            "distributedLockEndpointWebExtension", LockInventory.class,
            "distributedLockHealthIndicator", LockInventory.class,
            "distributedLockGauges", RegistryStatistics.class);

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        REQUIRED.forEach((name, type) -> {
            if (beanFactory instanceof BeanDefinitionRegistry definitions
                    && isOurs(beanFactory, name)
                    && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beanFactory, type, true, false).length
                            == 0) {
                definitions.removeBeanDefinition(name);
            }
        });
    }

    private static boolean isOurs(ConfigurableListableBeanFactory beanFactory, String name) {
        String configuration = beanFactory.containsBeanDefinition(name)
                ? beanFactory.getBeanDefinition(name).getFactoryBeanName()
                : null;
        return configuration != null && configuration.startsWith(OURS);
    }
}
