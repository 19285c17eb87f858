package io.github.lockstarter.autoconfigure;

import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Determines by the bean definitions of an application whether anything needs observations of locks, because meters are
 * recorded without them. It does not create the handlers, which may depend on a lock.
 */
final class ObservationHandlers {

    private static final String OF_METERS = "io.micrometer.core.instrument.observation.MeterObservationHandler";

    private final ConfigurableListableBeanFactory beanFactory;

    private final @Nullable Class<?> ofMeters;

    ObservationHandlers(ConfigurableListableBeanFactory beanFactory) {
        this.beanFactory = beanFactory;
        ClassLoader classLoader = beanFactory.getBeanClassLoader();
        this.ofMeters = ClassUtils.isPresent(OF_METERS, classLoader)
                ? ClassUtils.resolveClassName(OF_METERS, classLoader)
                : null;
    }

    /**
     * Returns whether a handler bean does not only record meters, or a registry is not Spring Boot's and may have any
     * handler.
     */
    boolean wantObservations() {
        for (String name : namesOf(ObservationHandler.class)) {
            Class<?> type = this.beanFactory.getType(name, false);
            if (type == null || this.ofMeters == null || !this.ofMeters.isAssignableFrom(type)) {
                return true;
            }
        }
        for (String name : namesOf(ObservationRegistry.class)) {
            if (!isOfSpringBoot(name)) {
                return true;
            }
        }
        return false;
    }

    private String[] namesOf(Class<?> type) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, type, true, false);
    }

    private boolean isOfSpringBoot(String beanName) {
        if (!this.beanFactory.containsBeanDefinition(beanName)) {
            return false;
        }
        BeanDefinition definition = this.beanFactory.getBeanDefinition(beanName);
        String factory = definition.getFactoryBeanName();
        return factory != null && factory.startsWith("org.springframework.boot.");
    }
}
