package io.github.lockstarter.aop;

import static io.github.lockstarter.aop.LockedContext.rejectionOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Callbacks that a bean definition declares, which the container calls on the bean itself. */
class DeclaredCallbackTest {

    @ParameterizedTest
    @ValueSource(classes = {Opened.class, Closed.class})
    void shouldBeRejected(Class<?> configuration) {
        assertThat(rejectionOf(configuration))
                .hasMessageContaining(Desk.class.getName() + ".run()")
                .hasMessageContaining("Spring calls this method on the bean itself and not through its proxy");
    }

    @Test
    void shouldBeAcceptedForAFactoryBean() {
        try (LockedContext context = LockedContext.of(Made.class)) {
            context.getBean(Desk.class).run();

            assertThat(context.registry.requests).hasSize(1);
        }
    }

    static class Desk {

        @DistributedLock
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Opened {

        @Bean(initMethod = "run")
        Desk desk() {
            return new Desk();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Closed {

        @Bean(destroyMethod = "run")
        Desk desk() {
            return new Desk();
        }
    }

    static class DeskFactory implements FactoryBean<Desk> {

        void run() {}

        @Override
        public Desk getObject() {
            return new Desk();
        }

        @Override
        public Class<?> getObjectType() {
            return Desk.class;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Made {

        @Bean(initMethod = "run")
        DeskFactory desk() {
            return new DeskFactory();
        }
    }
}
