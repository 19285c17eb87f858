package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Consumer;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyFactoryBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.annotation.AliasFor;

/** Which calls of which beans acquire which locks. */
class ProxyingTest {

    @AutoClose
    private static final LockedContext CONTEXT = LockedContext.of(
            Orders.class,
            Orders.SpecialOrders.class,
            PlainStock.class,
            InheritedStock.class,
            VisibleDesk.class,
            Composed.class,
            Unlocked.class,
            Reports.class,
            TypeLevel.class,
            Unnamed.class,
            Limits.class,
            PermitsOfClass.class);

    @BeforeEach
    void forget() {
        CONTEXT.calls.events.clear();
        CONTEXT.calls.requests.clear();
    }

    /** Calls the bean and returns the names of the locks in their order. */
    private static <T> List<String> locksOf(Class<T> type, Consumer<T> calls) {
        calls.accept(CONTEXT.getBean(type));
        return CONTEXT.calls.requests.stream().map(LockRequest::lockName).toList();
    }

    @Test
    void shouldLockAnnotatedMethodsOfAClassOnly() {
        assertThat(locksOf(Unlocked.class, Unlocked::run)).isEmpty();
        assertThat(AopUtils.isAopProxy(CONTEXT.getBean(Unlocked.class))).isFalse();
        Orders orders = CONTEXT.getBean("proxyingTest.Orders", Orders.class);
        orders.count();
        orders.shipFromInside("on this");
        assertThat(CONTEXT.calls.events).isEmpty();

        assertThat(orders.ship("42")).isEqualTo("shipped 42");
        orders.packagePrivate();
        orders.guarded();

        assertThat(AopUtils.isCglibProxy(orders)).isTrue();
        assertThat(CONTEXT.calls.events)
                .containsExactly(
                        "lock orders:42",
                        "unlock orders:42",
                        "lock Orders.packagePrivate",
                        "unlock Orders.packagePrivate",
                        "lock Orders.guarded",
                        "unlock Orders.guarded");
    }

    @Test
    void shouldLockInheritedMethodsOnce() {
        assertThat(locksOf(PlainStock.class, stock -> stock.take("a"))).containsExactly("stock:a");
        forget();
        assertThat(locksOf(InheritedStock.class, stock -> stock.take("b"))).containsExactly("stock:b");
        forget();
        assertThat(locksOf(Orders.SpecialOrders.class, Orders::guarded)).containsExactly("SpecialOrders.guarded");
        forget();
        assertThat(locksOf(VisibleDesk.class, desk -> desk.serve("a"))).containsExactly("desk:a");
    }

    @Test
    void shouldReadComposedAnnotations() {
        assertThat(locksOf(Composed.class, composed -> composed.run("7"))).containsExactly("nightly:7");
        assertThat(CONTEXT.calls.request().waitTime()).hasSeconds(2);
    }

    @Test
    void shouldLockPublicMethodsOfAnAnnotatedClass() {
        assertThat(locksOf(Reports.class, reports -> {
                    reports.packagePrivate();
                    reports.guarded();
                    assertThat(reports.toString()).isEqualTo("reports");
                    assertThat(reports.equals(reports)).isTrue();
                    reports.run();
                    reports.inherited();
                    reports.special();
                }))
                .containsExactly("reports", "reports", "special");
        assertThat(CONTEXT.calls.request().waitTime())
                .as("replaced, not merged")
                .isNull();
    }

    @Test
    void shouldLockMethodsOfAnAnnotatedInterface() {
        assertThat(locksOf(TypeLevel.class, jobs -> {
                    jobs.run();
                    jobs.extra();
                }))
                .containsExactly("jobs", "jobs");
        forget();
        assertThat(locksOf(Unnamed.class, unnamed -> {
                    unnamed.first();
                    unnamed.second();
                }))
                .containsExactly("Unnamed.first", "Unnamed.second");
    }

    @Test
    void shouldLockThroughInterfaceProxies() {
        try (LockedContext context = LockedContext.ofInterfaceProxies(OrderDesk.class, WithSetter.class, Taken.class)) {
            context.getBean(Desk.class).open();
            context.getBean(Job.class).run();
            context.getBean("made", Stock.class).take("a");
            context.getBean("advised", Stock.class).take("b");

            assertThat(AopUtils.isJdkDynamicProxy(context.getBean(Desk.class))).isTrue();
            assertThat(context.calls.requests)
                    .extracting(LockRequest::lockName)
                    .containsExactly("OrderDesk.open", "withSetter", "stock:a", "stock:b");
        }
    }

    @Test
    void shouldAcquirePermitsBeforeLocksAndWritersBeforeReaders() {
        locksOf(Limits.class, Limits::nested);

        assertThat(CONTEXT.calls.requests)
                .extracting(request -> request.lockName() + ' ' + request.mode() + ' ' + request.weight())
                .containsExactly("some PERMIT 2", "some PERMIT 1", "catalog WRITE 0", "catalog READ 0");
        assertThat(CONTEXT.calls.events.get(0)).isEqualTo("lock some");
        assertThat(CONTEXT.calls.events.get(7)).isEqualTo("unlock some");
    }

    /** Neither annotation replaces the other. */
    @Test
    void shouldAcquirePermitsOfTheClassBesideTheLockOfTheMethod() {
        assertThat(locksOf(PermitsOfClass.class, reports -> {
                    reports.print();
                    reports.plan();
                    reports.own();
                }))
                .containsExactly("printers", "printers", "plan", "own");
        assertThat(CONTEXT.calls.requests.get(0).mode()).isEqualTo(LockMode.PERMIT);
    }

    // ---- Beans that already have a proxy or are not instances of plain classes

    @ParameterizedTest
    @ValueSource(classes = {ScopedOrders.class, OrdersFactory.class, TwoNames.class, Wrapped.class})
    void shouldLockOnce(Class<?> configuration) {
        try (LockedContext context = LockedContext.prepare(processor -> {}, configuration)) {
            context.getBeanFactory().registerScope("desk", new SimpleThreadScope());
            context.refresh();
            context.getBean(context.containsBean("last") ? "last" : "orders", Orders.class)
                    .guarded();

            assertThat(context.calls.events).containsExactly("lock Orders.guarded", "unlock Orders.guarded");
        }
    }

    @Test
    void shouldLockMethodsThatTheTargetOfAProxyLacks() {
        try (LockedContext context = LockedContext.of(Repositories.class)) {
            OrderRepository repository = context.getBean(OrderRepository.class);
            assertThat(repository.claim("a")).isEqualTo("query claim");
            assertThat(repository.load("a")).isEqualTo("stored a");
            repository.deleteAll();

            assertThat(context.calls.requests)
                    .extracting(LockRequest::lockName)
                    .containsExactly("OrderRepository.claim:a", "OrderRepository.deleteAll");
        }
    }

    /** Under a name that all JVMs share. */
    @ParameterizedTest
    @ValueSource(strings = {"withoutTarget", "lambda"})
    void shouldLockWhatIsNoInstanceOfAClass(String name) {
        try (LockedContext context = LockedContext.of(Clients.class)) {
            assertThat(context.getBean(name, Client.class).fetch("a")).isEqualTo("fetched");
            assertThat(context.calls.request().lockName()).isEqualTo("Client.fetch:a");
        }
    }

    @Test
    void shouldObtainTheRegistryAtTheFirstCall() {
        try (LockedContext context = LockedContext.of(Orders.class)) {
            Orders orders = context.getBean(Orders.class);
            assertThat(context.calls.registryIsUsed).isFalse();

            orders.guarded();

            assertThat(context.calls.registryIsUsed).isTrue();
        }
    }

    static class Orders {
        @DistributedLock(name = "orders", key = "#id")
        public String ship(String id) {
            return "shipped " + id;
        }

        public String shipFromInside(String id) {
            return ship(id);
        }

        public int count() {
            return 1;
        }

        @DistributedLock
        void packagePrivate() {}

        @DistributedLock
        protected void guarded() {}

        static class SpecialOrders extends Orders {}
    }

    static class Unlocked {
        public void run() {}
    }

    interface Stock {
        @DistributedLock(name = "stock", key = "#item")
        void take(String item);
    }

    static class PlainStock implements Stock {
        @Override
        public void take(String article) {}
    }

    static class StockBase {
        public void take(String article) {}
    }

    static class InheritedStock extends StockBase implements Stock {}

    static class Taken {
        @Bean
        static Stock made() {
            return new PlainStock();
        }

        @Bean
        static Stock advised() {
            ProxyFactory factory = new ProxyFactory(new PlainStock());
            factory.setInterfaces(Stock.class);
            return (Stock) factory.getProxy();
        }
    }

    interface Desk {
        void open();
    }

    static class OrderDesk implements Desk {
        @Override
        @DistributedLock
        public final void open() {}
    }

    static class HiddenDesk {
        @DistributedLock(name = "desk", key = "#customer")
        public void serve(String customer) {}
    }

    /** The compiler adds a bridge method, so that other packages can call the method above. */
    public static class VisibleDesk extends HiddenDesk {}

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "nightly")
    @interface Nightly {
        @AliasFor(annotation = DistributedLock.class, attribute = "key")
        String by();

        @AliasFor(annotation = DistributedLock.class, attribute = "waitTime")
        long patience() default 2000;
    }

    static class Composed {
        @Nightly(by = "#id")
        public void run(String id) {}
    }

    static class ReportBase {
        public void inherited() {}
    }

    @DistributedLock(name = "reports", waitTime = 5)
    static class Reports extends ReportBase {
        public void run() {}

        @DistributedLock(name = "special")
        public void special() {}

        void packagePrivate() {}

        protected void guarded() {}

        public static void tool() {}

        @Override
        public String toString() {
            return "reports";
        }

        @Override
        public boolean equals(Object other) {
            return other != null;
        }

        @Override
        public int hashCode() {
            return 7;
        }
    }

    @DistributedLock(name = "jobs")
    interface Job {
        void run();
    }

    static class TypeLevel implements Job {
        @Override
        public void run() {}

        public void extra() {}
    }

    @DistributedLock
    static class Unnamed {
        public void first() {}

        public void second() {}
    }

    @DistributedLock(name = "withSetter")
    static class WithSetter implements Job {
        @Override
        public void run() {}

        public final void setUp() {}
    }

    static class Limits {
        @DistributedLock(name = "catalog", mode = LockMode.READ, condition = "true")
        @DistributedLock(name = "catalog")
        @DistributedSemaphore(name = "some", permits = 2)
        @DistributedSemaphore(name = "some", permits = 2, weight = 2, condition = "true")
        public void nested() {}
    }

    @DistributedSemaphore(name = "printers", permits = 2)
    static class PermitsOfClass {
        public void print() {}

        @DistributedLock(name = "plan")
        public void plan() {}

        @DistributedSemaphore(name = "own", permits = 1)
        public void own() {}
    }

    static class ScopedOrders {
        @Bean
        @Scope(scopeName = "desk", proxyMode = ScopedProxyMode.TARGET_CLASS)
        static Orders orders() {
            return new Orders();
        }
    }

    static class OrdersFactory {
        @Bean
        static FactoryBean<Orders> orders() {
            return new FactoryBean<>() {
                @Override
                public Orders getObject() {
                    return new Orders();
                }

                @Override
                public Class<?> getObjectType() {
                    return Orders.class;
                }
            };
        }
    }

    static class TwoNames {
        @Bean
        static Orders orders() {
            return new Orders();
        }

        @Bean
        static Orders last(@Qualifier("orders") Orders first) {
            return first;
        }
    }

    static class Wrapped {
        @Bean
        static Orders orders() {
            return new Orders();
        }

        @Bean
        static ProxyFactoryBean last() {
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
        static Client withoutTarget() {
            return ProxyFactory.getProxy(Client.class, (MethodInterceptor) call -> "fetched");
        }

        @Bean
        static Client lambda() {
            return id -> "fetched";
        }
    }
}
