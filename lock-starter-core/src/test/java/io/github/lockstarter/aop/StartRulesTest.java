package io.github.lockstarter.aop;

import static io.github.lockstarter.aop.LockedContext.rejection;
import static io.github.lockstarter.aop.LockedContext.rejectionOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/** Beans whose methods would run without their lock fail the start. */
class StartRulesTest {

    @ParameterizedTest
    @MethodSource
    void shouldReject(Class<?> bean, String method, String problem, String remedy) {
        assertThat(rejectionOf(bean)).hasMessageContainingAll(method, problem, remedy);
    }

    static Stream<Arguments> shouldReject() {
        String privateMethod = "a proxy cannot intercept a private method";
        String deferred = "would end before the work does";
        String callback = "Spring calls this method on the bean itself and not through its proxy";
        return Stream.of(
                Arguments.of(
                        WithPrivate.class, "WithPrivate.ship(String)", privateMethod, "distributed-lock.mode=aspectj"),
                Arguments.of(WithPrivate.Special.class, "ship(String) (of ", privateMethod, "LockRegistry.execute"),
                Arguments.of(WithStatic.class, "ship()", "a proxy cannot intercept a static method", ""),
                Arguments.of(WithFinal.class, "ship()", "a proxy cannot intercept a final method", "Remove final"),
                Arguments.of(ClassLevelWithFinal.class, "seal()", "final method", "annotate the other methods instead"),
                Arguments.of(
                        FinalClass.class,
                        "run()",
                        "FinalClass is final, so that no proxy can extend it",
                        "spring.aop.proxy-target-class=false"),
                Arguments.of(SealedClass.class, "run()", "SealedClass is sealed", "Remove sealed"),
                Arguments.of(FrozenProxy.class, "WithLock.run()", "already has a proxy that is frozen", ""),
                Arguments.of(OpaqueProxy.class, "WithLock.run()", "already has a proxy that is opaque", ""),
                Arguments.of(InterfaceProxy.class, "WiderShop.close()", "none of them declares this method", ""),
                Arguments.of(
                        ForeignTypeLevel.class,
                        "open()",
                        "is not implemented by the target of the proxy",
                        "LockedShop"),
                Arguments.of(ReturnsFuture.class, "call()", "returns a Future", deferred),
                Arguments.of(ReturnsCallable.class, "call()", "returns a Callable", deferred),
                Arguments.of(ReturnsPublisher.class, "call()", "returns a Publisher", "acquireAsync"),
                Arguments.of(ReturnsFlowPublisher.class, "call()", "returns a Publisher", deferred),
                Arguments.of(FullBeans.class, "desk()", "a @Bean method runs only once", "in the class of the bean"),
                Arguments.of(StaticBeans.class, "desk()", "a @Bean method runs only once", "LockRegistry.execute"),
                Arguments.of(LockedBeans.class, "desk()", "a @Bean method runs only once", ""),
                Arguments.of(Initializing.class, "afterPropertiesSet()", callback, "ApplicationRunner"),
                Arguments.of(Disposable.class, "destroy()", callback, "ApplicationRunner"),
                Arguments.of(Opened.class, "Desk.run()", callback, ""),
                Arguments.of(Closed.class, "Desk.run()", callback, ""),
                Arguments.of(
                        NeedsDesk.class,
                        "@DistributedSemaphore on " + Desk.class.getName() + ".run()",
                        "the bean 'desk' was created too early for its annotation to take effect, needed by needsDesk",
                        "ObjectProvider or @Lazy"),
                Arguments.of(NeedsDeskWithOrder.class, "Desk.run()", "needed by needsDeskWithOrder", "ObjectProvider"),
                Arguments.of(NeedsDeskForDefinitions.class, "Desk.run()", "needed by needsDeskForDefinitions", ""));
    }

    @Test
    void shouldRejectMethodsThatAnInterfaceProxyLacks() {
        assertThat(rejection(
                        () -> LockedContext.ofInterfaceProxies(WiderShop.class).close()))
                .hasMessageContaining("WiderShop.close()")
                .hasMessageContaining("none of them declares this method")
                .hasMessageNotContaining("not public")
                .hasMessageContaining("spring.aop.proxy-target-class=true");
        assertThat(rejection(() ->
                        LockedContext.ofInterfaceProxies(ShopWithHelper.class).close()))
                .hasMessageContaining("ShopWithHelper.restock()")
                .hasMessageContaining("none of them declares this method, which is not public");
    }

    @Test
    void shouldRejectPackagePrivateMethodsOfAnotherPackage(@TempDir Path directory) throws Exception {
        Class<?> bean = Sources.in(directory)
                .add("shop.Base", "public class Base { @io.github.lockstarter.DistributedLock void open() {} }")
                .add("shop.special.Special", "public class Special extends shop.Base {}")
                .load("shop.special.Special");

        assertThat(rejectionOf(bean))
                .hasMessageContainingAll(
                        "shop.Base.open() (of shop.special.Special)",
                        "package-private in another package",
                        "protected or public");
    }

    /** Reflection fails, but the class file has the annotation. */
    @ParameterizedTest
    @ValueSource(strings = {"@io.github.lockstarter.DistributedLock", ""})
    void shouldRejectAnnotatedMethodsOfAClassThatCannotBeInspected(String annotation, @TempDir Path directory)
            throws Exception {
        Class<?> product = Sources.in(directory)
                .add("shop.Missing", "public class Missing {}")
                .add(
                        "shop.Product",
                        "public class Product { " + annotation + " public void run() {} void use(Missing missing) {} }")
                .load("shop.Product");
        Object made = product.getDeclaredConstructor().newInstance();
        Files.delete(directory.resolve(Path.of("shop", "Missing.class")));
        Runnable start = () -> {
            try (LockedContext context = LockedContext.prepare(processor -> {})) {
                context.addBeanFactoryPostProcessor(beans -> beans.registerSingleton("factory", new Ready(made)));
                context.refresh();
                assertThat(context.getBean("factory")).isSameAs(made);
            }
        };

        if (annotation.isEmpty()) {
            start.run();
        } else {
            assertThat(rejection(start))
                    .hasMessageContainingAll(
                            "@DistributedLock", "shop.Product", "shop/Missing", "move annotated methods");
        }
    }

    record Ready(Object getObject) implements FactoryBean<Object> {

        @Override
        public Class<?> getObjectType() {
            return Object.class;
        }
    }

    /** As here, where the class path has no kotlinx-coroutines-reactor. */
    @Test
    void shouldNameWhatSuspendFunctionsRequire(@TempDir Path directory) throws Exception {
        Class<?> bean = Sources.in(directory)
                .add("kotlin.coroutines.Continuation", "public interface Continuation<T> {}")
                .add(
                        "shop.Suspending",
                        "public class Suspending { @io.github.lockstarter.DistributedLock"
                                + " public Object run(kotlin.coroutines.Continuation<Object> next) { return null; } }")
                .load("shop.Suspending");

        assertThat(rejectionOf(bean))
                .hasMessageContainingAll(
                        "shop.Suspending.run()",
                        "is a suspend function",
                        "org.jetbrains.kotlinx:kotlinx-coroutines-reactor");
    }

    @ParameterizedTest
    @ValueSource(classes = {ClassLevelWithHelpers.class, AsksLater.class, NeedsDeskWithoutOrder.class, Made.class})
    void shouldAccept(Class<?> component) {
        try (LockedContext context = LockedContext.of(component)) {
            context.getBean(Runnable.class).run();

            assertThat(context.calls.requests).hasSize(1);
        }
    }

    @Test
    void shouldAcceptFinalClassesBehindTheirInterfaces() {
        try (LockedContext context = LockedContext.ofInterfaceProxies(FinalShop.class)) {
            context.getBean(Shop.class).open();

            assertThat(context.calls.request().lockName()).isEqualTo("FinalShop.open");
        }
    }

    /** A test may replace a bean with a mock. */
    @Test
    void shouldAcceptAnObjectInPlaceOfABean() {
        try (LockedContext context = LockedContext.prepare(processor -> {}, PlainDesk.class)) {
            Desk mock = new Desk();
            context.addBeanFactoryPostProcessor(beans -> beans.registerSingleton("desk", mock));
            context.refresh();

            assertThat(context.getBean(Desk.class)).isSameAs(mock);
        }
    }

    @Test
    void shouldRejectNothingWhenLocksAreDisabled() {
        LockedContext.with(processor -> processor.setEnabled(false), NeedsDesk.class)
                .close();
    }

    /** Preparation of an application at build time (AOT), when properties have no values yet. */
    @Test
    void shouldRejectAtBuildTimeWhatAProxyCannotIntercept() {
        RuntimeHints hints = new RuntimeHints();
        try (LockedContext context = LockedContext.prepare(processor -> {}, Unresolved.class)) {
            context.refreshForAotProcessing(hints);
        }
        assertThat(hints.reflection().typeHints())
                .anyMatch(hint -> hint.getType().getName().startsWith(Unresolved.class.getName() + "$$"));
        assertThat(rejection(() -> {
                    try (LockedContext context = LockedContext.prepare(processor -> {}, WithFinal.class)) {
                        context.refreshForAotProcessing(new RuntimeHints());
                    }
                }))
                .hasMessageContaining("a proxy cannot intercept a final method");
    }

    // ---- Mode aspectj, in a JVM without a weaver

    @ParameterizedTest
    @MethodSource
    void shouldRejectWhatIsNotWoven(Class<?> bean, String method, String problem, String remedy) {
        assertThat(rejection(() -> LockedContext.with(processor -> processor.setMode(AdviceMode.ASPECTJ), bean)
                        .close()))
                .hasMessageContainingAll(method, problem, remedy);
    }

    static Stream<Arguments> shouldRejectWhatIsNotWoven() {
        String mode = "distributed-lock.mode=aspectj, but the ";
        return Stream.of(
                Arguments.of(WithLock.class, "run()", mode + "method has not been woven", "aspectjweaver.jar"),
                Arguments.of(WithLock.class, "run()", "", "package " + WithLock.class.getPackageName()),
                Arguments.of(TooDeep.class, "run()", "the method has not been woven", "at most two levels"),
                Arguments.of(Inherited.class, "run()", mode + "annotation is inherited", "the method itself, or set"),
                Arguments.of(
                        OfLockedClass.class,
                        "run()",
                        mode + "annotation is inherited",
                        "the method itself or the class that declares it"),
                Arguments.of(ReturnsFuture.class, "call()", "returns a Future", ""),
                Arguments.of(InstanceFallback.class, "run()", "does not match another method of", "static"),
                Arguments.of(StaticFallback.class, "run()", "the method has not been woven", ""));
    }

    static class WithLock {
        @DistributedLock
        public void run() {}
    }

    static class Inherited extends WithLock {
        @Override
        public void run() {}
    }

    @DistributedLock
    static class LockedClass {}

    static class OfLockedClass extends LockedClass {
        public void run() {}
    }

    static class InstanceFallback {
        @DistributedLock(fallback = "otherwise")
        static void run() {}

        void otherwise() {}
    }

    static class StaticFallback {
        @DistributedLock(fallback = "otherwise")
        static void run() {}

        static void otherwise() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock
    @interface One {}

    @Retention(RetentionPolicy.RUNTIME)
    @One
    @interface Two {}

    @Retention(RetentionPolicy.RUNTIME)
    @Two
    @interface Three {}

    static class TooDeep {
        @Three
        public void run() {}
    }

    // ---- Modifiers

    static class WithPrivate {
        @DistributedLock
        @SuppressWarnings({"UnusedMethod", "UnusedVariable"})
        private void ship(String id) {}

        static class Special extends WithPrivate {}
    }

    static class WithStatic {
        @DistributedLock
        static void ship() {}
    }

    static class WithFinal {
        @DistributedLock
        public final void ship() {}
    }

    static class Unresolved {
        @DistributedLock(name = "${region}", leaseString = "${lease}")
        public void ship() {}
    }

    @DistributedLock
    static class ClassLevelWithFinal {
        public final void seal() {}
    }

    @DistributedLock
    static class ClassLevelWithHelpers implements Runnable, InitializingBean {
        @Override
        public void run() {
            first();
            second();
            third();
        }

        @Override
        public void afterPropertiesSet() {}

        private void first() {}

        static void second() {}

        final void third() {}
    }

    static final class FinalClass {
        @DistributedLock
        public void run() {}
    }

    static sealed class SealedClass {
        @DistributedLock
        public void run() {}
    }

    static final class Subclass extends SealedClass {}

    interface Shop {
        void open();
    }

    static final class FinalShop implements Shop {
        @Override
        @DistributedLock
        public void open() {}
    }

    static class WiderShop implements Shop {
        @Override
        public void open() {}

        @DistributedLock
        public void close() {}
    }

    static class ShopWithHelper implements Shop {
        @Override
        public void open() {}

        @DistributedLock
        void restock() {}
    }

    // ---- Proxies of another origin

    private static WithLock proxied(Consumer<ProxyFactory> settings) {
        ProxyFactory factory = new ProxyFactory(new WithLock());
        settings.accept(factory);
        return (WithLock) factory.getProxy();
    }

    static class FrozenProxy {
        @Bean
        static WithLock withLock() {
            return proxied(factory -> factory.setFrozen(true));
        }
    }

    static class OpaqueProxy {
        @Bean
        static WithLock withLock() {
            return proxied(factory -> factory.setOpaque(true));
        }
    }

    private static <T> T proxy(Object target, Class<T> type) {
        ProxyFactory factory = new ProxyFactory();
        factory.setTarget(target);
        factory.setInterfaces(type);
        return type.cast(factory.getProxy());
    }

    static class InterfaceProxy {
        @Bean
        static Shop shop() {
            return proxy(new WiderShop(), Shop.class);
        }
    }

    @DistributedLock
    interface LockedShop extends Shop {}

    static class ForeignTypeLevel {
        @Bean
        static LockedShop shop() {
            return proxy(new Object(), LockedShop.class);
        }
    }

    // ---- Results

    static class GenericCall<T> {
        @DistributedLock
        public T call() {
            throw new UnsupportedOperationException();
        }
    }

    static class ReturnsFuture {
        @DistributedLock
        public Future<?> call() {
            return null;
        }
    }

    static class ReturnsCallable extends GenericCall<Callable<?>> {}

    static class ReturnsPublisher extends GenericCall<Publisher<?>> {}

    static class ReturnsFlowPublisher extends GenericCall<Flow.Publisher<?>> {}

    // ---- Beans and callbacks

    static class Desk implements Runnable {
        @Override
        @DistributedSemaphore(permits = 1)
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class PlainDesk {
        @Bean
        Desk desk() {
            return new Desk();
        }
    }

    @Configuration
    static class FullBeans {
        @Bean
        @DistributedLock
        Desk desk() {
            return new Desk();
        }
    }

    @Configuration
    static class StaticBeans {
        @Bean
        @DistributedSemaphore(permits = 3)
        static Desk desk() {
            return new Desk();
        }
    }

    @Configuration
    @DistributedLock
    static class LockedBeans {
        @Bean
        public Desk desk() {
            return new Desk();
        }
    }

    static class Initializing implements InitializingBean {
        @Override
        @DistributedLock
        public void afterPropertiesSet() {}
    }

    static class Disposable implements DisposableBean {
        @Override
        @DistributedLock
        public void destroy() {}
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

    /** A callback of the factory, and not of its product. */
    @Configuration(proxyBeanMethods = false)
    static class Made {
        @Bean(initMethod = "run")
        DeskFactory desk() {
            return new DeskFactory();
        }
    }

    static class Processor implements BeanPostProcessor, PriorityOrdered {
        @Override
        public int getOrder() {
            return 0;
        }
    }

    static class NeedsDesk extends PlainDesk {
        @Bean
        static Processor needsDeskProcessor(Desk desk) {
            return new Processor();
        }
    }

    static class NeedsDeskWithOrder extends PlainDesk {
        /** After this library's in the order, but created before that one is registered. */
        static class Last implements BeanPostProcessor, Ordered {
            @Override
            public int getOrder() {
                return Ordered.LOWEST_PRECEDENCE;
            }
        }

        @Bean
        static Last needsDeskWithOrder(Desk desk) {
            return new Last();
        }
    }

    static class NeedsDeskForDefinitions extends PlainDesk {
        @Bean
        static BeanFactoryPostProcessor needsDeskForDefinitions(Desk desk) {
            return beans -> {};
        }
    }

    static class NeedsDeskWithoutOrder extends PlainDesk {
        @Bean
        static BeanPostProcessor needsDeskWithoutOrder(Desk desk) {
            return new BeanPostProcessor() {};
        }
    }

    static class AsksLater extends PlainDesk {
        @Bean
        static Processor asksLaterProcessor(ObjectProvider<Desk> desk) {
            return new Processor();
        }
    }
}
