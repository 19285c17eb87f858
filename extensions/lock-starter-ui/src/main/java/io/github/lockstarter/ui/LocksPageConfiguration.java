package io.github.lockstarter.ui;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.security.web.FilterChainProxy;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Adds the page to the server that serves the endpoints: that of the application, or the one of the management port.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(LocksPageProperties.ENABLED)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(ServletRegistrationBean.class)
class LocksPageConfiguration {

    /** Creates the registration when the server starts, which is before the other beans. */
    @Bean
    ServletRegistrationBean<LocksPage> distributedLockPage(
            LocksPageProperties properties,
            EndpointRights rights,
            ObjectProvider<SpringSecurity> security,
            ObjectProvider<LocksOverview> overview,
            Environment environment) {
        LocksPage page = new LocksPage(
                overview::getObject,
                rights,
                security.getIfAvailable(),
                properties.path(),
                environment.getProperty("spring.application.name", ""));
        ServletRegistrationBean<LocksPage> registration = new ServletRegistrationBean<>(page, properties.path() + "/*");
        registration.setName("distributedLockPage");
        return registration;
    }

    /** Loaded only if Spring Security is present. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(FilterChainProxy.class)
    static class Security {

        @Bean
        SpringSecurity distributedLockPageSecurity(
                ObjectProvider<FilterChainProxy> filters, ObjectProvider<SecurityFilterChain> chains) {
            return new SpringSecurity(filters, chains);
        }
    }
}
