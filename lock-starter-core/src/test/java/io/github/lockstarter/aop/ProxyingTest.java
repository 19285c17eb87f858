package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AliasFor;

class ProxyingTest {

    @Test
    void shouldLockMethodsOfAClass() {
        try (LockedContext context = LockedContext.of(Orders.class)) {
            Orders orders = context.getBean(Orders.class);

            assertThat(orders.ship("42")).isEqualTo("shipped 42");

            assertThat(AopUtils.isCglibProxy(orders)).isTrue();
            assertThat(context.registry.events).containsExactly("lock orders:42", "unlock orders:42");
        }
    }

    @Test
    void shouldNotAffectOtherMethodsAndBeans() {
        try (LockedContext context = LockedContext.of(Orders.class, Unlocked.class)) {
            context.getBean(Orders.class).count();

            assertThat(context.registry.events).isEmpty();
            assertThat(AopUtils.isAopProxy(context.getBean(Unlocked.class))).isFalse();
        }
    }

    @Test
    void shouldLockProtectedAndPackagePrivateMethodsOfAClass() {
        try (LockedContext context = LockedContext.of(Orders.class)) {
            Orders orders = context.getBean(Orders.class);

            orders.packagePrivate();
            orders.guarded();

            assertThat(context.registry.events)
                    .containsExactly(
                            "lock Orders.packagePrivate",
                            "unlock Orders.packagePrivate",
                            "lock Orders.guarded",
                            "unlock Orders.guarded");
        }
    }

    @Test
    void shouldLockMethodsThatAreAnnotatedInTheInterface() {
        try (LockedContext context = LockedContext.of(PlainStock.class)) {
            context.getBean(Stock.class).take("a");
            context.getBean(PlainStock.class).take("b");

            assertThat(context.registry.events)
                    .containsExactly("lock stock:a", "unlock stock:a", "lock stock:b", "unlock stock:b");
        }
    }

    @Test
    void shouldLockThroughAnInterfaceProxy() {
        try (LockedContext context = LockedContext.ofInterfaceProxies(PlainStock.class, OrderDesk.class)) {
            Stock stock = context.getBean(Stock.class);
            Desk desk = context.getBean(Desk.class);

            stock.take("a");
            desk.open();

            assertThat(AopUtils.isJdkDynamicProxy(stock)).isTrue();
            assertThat(AopUtils.isJdkDynamicProxy(desk)).isTrue();
            assertThat(context.registry.events)
                    .containsExactly("lock stock:a", "unlock stock:a", "lock OrderDesk.open", "unlock OrderDesk.open");
        }
    }

    @Test
    void shouldLockInterfaceMethodsThatASuperclassImplements() {
        try (LockedContext context = LockedContext.of(InheritedStock.class)) {
            context.getBean(InheritedStock.class).take("a");

            assertThat(context.registry.events).containsExactly("lock stock:a", "unlock stock:a");
        }
    }

    @Test
    void shouldLockGenericMethodsOnce() {
        try (LockedContext context = LockedContext.of(OrderHandler.class)) {
            Handler<String> handler = context.getBean(OrderHandler.class);

            handler.handle("a");

            assertThat(context.registry.events).containsExactly("lock handler:a", "unlock handler:a");
        }
    }

    @Test
    void shouldLockInheritedMethodsUnderTheNameOfTheBeanClass() {
        try (LockedContext context = LockedContext.of(Orders.SpecialOrders.class)) {
            context.getBean(Orders.SpecialOrders.class).guarded();

            assertThat(context.registry.request().name()).isEqualTo("SpecialOrders.guarded");
        }
    }

    @Test
    void shouldLockPublicMethodsOfAHiddenSuperclassOnce() {
        try (LockedContext context = LockedContext.of(VisibleDesk.class)) {
            context.getBean(VisibleDesk.class).serve("a");

            assertThat(context.registry.events).containsExactly("lock desk:a", "unlock desk:a");
        }
    }

    @Test
    void shouldReadComposedAnnotations() {
        try (LockedContext context = LockedContext.of(Composed.class)) {
            context.getBean(Composed.class).run("7");

            assertThat(context.registry.request().lockName()).isEqualTo("nightly:7");
            assertThat(context.registry.request().waitTime()).hasSeconds(2);
        }
    }

    @Test
    void shouldNotLockCallsOnThis() {
        try (LockedContext context = LockedContext.of(Orders.class)) {
            context.getBean(Orders.class).shipFromInside("42");

            assertThat(context.registry.events).isEmpty();
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

    interface Handler<T> {

        void handle(T item);
    }

    static class OrderHandler implements Handler<String> {

        @Override
        @DistributedLock(name = "handler", key = "#item")
        public void handle(String item) {}
    }

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
}
