package io.github.lockstarter.ui;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;

/** Adds the page to the server that serves the endpoints: that of the application, or the one of the management port. */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(LocksPageProperties.ENABLED)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(ServletRegistrationBean.class)
class LocksPageConfiguration {

    /** Creates the registration when the server starts, which is before the other beans. */
    @Bean
    ServletRegistrationBean<LocksPage> distributedLockPage(
            LocksPageProperties properties, EndpointRights rights, ObjectProvider<LocksOverview> overview) {
        ServletRegistrationBean<LocksPage> page = new ServletRegistrationBean<>(
                new LocksPage(overview::getObject, rights, properties.path()), properties.path() + "/*");
        page.setName("distributedLockPage");
        return page;
    }
}
