package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockRegistry;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;

/** Beans that already have a proxy or are not instances of plain classes. */
class ExistingProxyTest {

    @Test
    void shouldLockOnceBehindAScopedProxy() {
        try (LockedContext context = LockedContext.prepare(processor -> {}, ScopedOrders.class)) {
            context.getBeanFactory().registerScope("desk", new SimpleThreadScope());
            context.refresh();

            context.getBean(Orders.class).ship();

            assertThat(context.registry.events).containsExactly("lock Orders.ship", "unlock Orders.ship");
        }
    }

    @Test
    void shouldLockProductsOfFactoryBeans() {
        try (LockedContext context = LockedContext.of(OrdersFactory.class)) {
            context.getBean(Orders.class).ship();

            assertThat(context.registry.events).containsExactly("lock Orders.ship", "unlock Orders.ship");
        }
    }

    @Test
    void shouldLockOnceIfAProxyIsRegisteredAsTwoBeans() {
        try (LockedContext context = LockedContext.of(TwoNames.class)) {
            context.getBean("second", Orders.class).ship();

            assertThat(context.registry.events).containsExactly("lock Orders.ship", "unlock Orders.ship");
        }
    }

    @Test
    void shouldLockOnceIfAProxyFactoryBeanWrapsALockedBean() {
        try (LockedContext context = LockedContext.of(Wrapped.class)) {
            context.getBean("wrapped", Orders.class).ship();

            assertThat(context.registry.events).containsExactly("lock Orders.ship", "unlock Orders.ship");
        }
    }

    @Test
    void shouldLockMethodsThatTheTargetOfAProxyLacks() {
        try (LockedContext context = LockedContext.of(Repositories.class)) {
            OrderRepository repository = context.getBean(OrderRepository.class);

            assertThat(repository.claim("a")).isEqualTo("query claim");
            assertThat(repository.load("a")).isEqualTo("stored a");
            repository.deleteAll();

            assertThat(context.registry.events)
                    .containsExactly(
                            "lock OrderRepository.claim:a",
                            "unlock OrderRepository.claim:a",
                            "lock OrderRepository.deleteAll",
                            "unlock OrderRepository.deleteAll");
        }
    }

    @Test
    void shouldLockAProxyWithoutATarget() {
        try (LockedContext context = LockedContext.of(Clients.class)) {
            assertThat(context.getBean(Client.class).fetch("a")).isEqualTo("fetch");
            assertThat(context.registry.request().lockName()).isEqualTo("Client.fetch:a");
        }
    }

    @Test
    void shouldLockAForeignProxyUnderANameThatAllJvmsShare() {
        try (LockedContext context = LockedContext.of(ForeignClients.class)) {
            assertThat(context.getBean(Client.class).fetch("a")).isEqualTo("fetch");
            assertThat(context.registry.request().lockName()).isEqualTo("Client.fetch:a");
        }
    }

    @Test
    void shouldLockEachPrototype() {
        try (LockedContext context = LockedContext.of(Prototypes.class)) {
            context.getBean(Orders.class).ship();
            context.getBean(Orders.class).ship();

            assertThat(context.registry.requests).hasSize(2);
        }
    }

    @Test
    void shouldLockALambda() {
        try (LockedContext context = LockedContext.of(LambdaClients.class)) {
            assertThat(context.getBean(Client.class).fetch("a")).isEqualTo("lambda a");
            assertThat(context.registry.request().lockName()).isEqualTo("Client.fetch:a");
        }
    }

    @Test
    void shouldObtainTheRegistryAtTheFirstCall() {
        try (AnnotationConfigApplicationContext context =
                new AnnotationConfigApplicationContext(LazyRegistry.class, Orders.class)) {
            Orders orders = context.getBean(Orders.class);
            assertThat(context.getBeanFactory().containsSingleton("registry")).isFalse();

            orders.ship();

            assertThat(context.getBeanFactory().containsSingleton("registry")).isTrue();
            assertThat(context.getBean(RecordingRegistry.class).events).hasSize(2);
        }
    }

    static class Orders {

        @DistributedLock
        public void ship() {}
    }

    static class ScopedOrders {

        @Bean
        @Scope(scopeName = "desk", proxyMode = ScopedProxyMode.TARGET_CLASS)
        static Orders orders() {
            return new Orders();
        }
    }

    static class OrdersFactory implements FactoryBean<Orders> {

        @Override
        public Orders getObject() {
            return new Orders();
        }

        @Override
        public Class<?> getObjectType() {
            return Orders.class;
        }
    }

    static class Prototypes {

        @Bean
        @Scope("prototype")
        static Orders orders() {
            return new Orders();
        }
    }

    static class TwoNames {

        @Bean
        static Orders first() {
            return new Orders();
        }

        @Bean
        static Orders second(@Qualifier("first") Orders first) {
            return first;
        }
    }

    static class Wrapped {

        @Bean
        static Orders orders() {
            return new Orders();
        }

        @Bean
        static ProxyFactoryBean wrapped() {
            ProxyFactoryBean factory = new ProxyFactoryBean();
            factory.setTargetName("orders");
            factory.setProxyTargetClass(true);
            return factory;
        }
    }

    interface Repository {

        String load(String id);

        void deleteAll();
    }

    interface OrderRepository extends Repository {

        @DistributedLock(key = "#id")
        String claim(String id);

        @Override
        @DistributedLock
        void deleteAll();
    }

    /** Serves all repositories and implements none of their interfaces. */
    static class GenericRepository {

        public String load(String id) {
            return "stored " + id;
        }

        public void deleteAll() {}
    }

    static class Repositories {

        @Bean
        static OrderRepository orderRepository() {
            GenericRepository target = new GenericRepository();
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(target);
            factory.setInterfaces(OrderRepository.class);
            factory.addAdvice((MethodInterceptor) call -> {
                try {
                    Method method = GenericRepository.class.getMethod(
                            call.getMethod().getName(), call.getMethod().getParameterTypes());
                    return method.invoke(target, call.getArguments());
                } catch (NoSuchMethodException ex) {
                    return "query " + call.getMethod().getName();
                }
            });
            return (OrderRepository) factory.getProxy();
        }
    }

    interface Client {

        @DistributedLock(key = "#id")
        String fetch(String id);
    }

    static class Clients {

        @Bean
        static Client client() {
            return ProxyFactory.getProxy(
                    Client.class, (MethodInterceptor) call -> call.getMethod().getName());
        }
    }

    static class ForeignClients {

        @Bean
        static Client client() {
            return (Client) Proxy.newProxyInstance(
                    Client.class.getClassLoader(),
                    new Class<?>[] {Client.class},
                    (proxy, method, args) -> method.getName());
        }
    }

    static class LambdaClients {

        @Bean
        static Client client() {
            return id -> "lambda " + id;
        }
    }

    static class LazyRegistry {

        @Bean
        static DistributedLockBeanPostProcessor lockProcessor(ObjectProvider<LockRegistry> registry) {
            return new DistributedLockBeanPostProcessor(registry::getObject);
        }

        @Bean
        @Lazy
        static RecordingRegistry registry() {
            return new RecordingRegistry();
        }
    }
}
