package io.github.lockstarter.aop;

import static io.github.lockstarter.aop.LockedContext.rejectionOf;
import static io.github.lockstarter.aop.LockedContext.rejectionWithInterfaceProxies;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.Bean;

class ProxyRulesTest {

    @Test
    void shouldRejectPrivateMethods() {
        assertThat(rejectionOf(WithPrivate.class))
                .hasMessageContaining(WithPrivate.class.getName() + ".ship(String)")
                .hasMessageContaining("a proxy cannot intercept a private method")
                .extracting(InvalidLockDefinitionException::remedy)
                .asString()
                .contains("LockRegistry.execute", "distributed-lock.mode=aspectj");
    }

    @Test
    void shouldRejectPrivateMethodsOfSuperclasses() {
        assertThat(rejectionOf(WithPrivate.Special.class))
                .hasMessageContaining(WithPrivate.class.getName() + ".ship(String) (of ")
                .hasMessageContaining("private");
    }

    @Test
    void shouldRejectStaticMethods() {
        assertThat(rejectionOf(WithStatic.class)).hasMessageContaining("a proxy cannot intercept a static method");
    }

    @Test
    void shouldRejectFinalMethods() {
        assertThat(rejectionOf(WithFinal.class))
                .hasMessageContaining("WithFinal.ship()")
                .hasMessageContaining("a proxy cannot intercept a final method")
                .hasMessageContaining("Remove final");
    }

    @Test
    void shouldRejectPublicFinalMethodsOfAnnotatedClasses() {
        assertThat(rejectionOf(ClassLevelWithFinal.class))
                .hasMessageContaining("ClassLevelWithFinal.seal()")
                .hasMessageContaining("final method")
                .hasMessageContaining("annotate the other methods instead of the class");
    }

    @Test
    void shouldIgnoreOtherMethodsOfAnnotatedClasses() {
        try (LockedContext context = LockedContext.of(ClassLevelWithHelpers.class)) {
            context.getBean(ClassLevelWithHelpers.class).run();

            assertThat(context.registry.requests).hasSize(1);
        }
    }

    @Test
    void shouldRejectFinalClasses() {
        assertThat(rejectionOf(FinalClass.class))
                .hasMessageContaining("FinalClass is final, so that no proxy can extend it")
                .hasMessageContaining("spring.aop.proxy-target-class=false");
    }

    @Test
    void shouldRejectSealedClasses() {
        assertThat(rejectionOf(SealedClass.class)).hasMessageContaining("SealedClass is sealed");
    }

    @Test
    void shouldAcceptFinalClassesBehindTheirInterfaces() {
        try (LockedContext context = LockedContext.ofInterfaceProxies(FinalShop.class)) {
            context.getBean(Shop.class).open();

            assertThat(context.registry.request().lockName()).isEqualTo("FinalShop.open");
        }
    }

    @Test
    void shouldRejectMethodsThatAnInterfaceProxyLacks() {
        assertThat(rejectionWithInterfaceProxies(WiderShop.class))
                .hasMessageContaining("WiderShop.close()")
                .hasMessageContaining("none of them declares this method")
                .hasMessageNotContaining("not public")
                .hasMessageContaining("spring.aop.proxy-target-class=true");
        assertThat(rejectionWithInterfaceProxies(ShopWithHelper.class))
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
                .hasMessageContaining("shop.Base.open() (of shop.special.Special)")
                .hasMessageContaining("package-private in another package")
                .hasMessageContaining("protected or public");
    }

    @Test
    void shouldRejectProxiesThatCannotBeExtended() {
        assertThat(rejectionOf(FrozenProxy.class))
                .hasMessageContaining("WithLock.run()")
                .hasMessageContaining("already has a proxy that is frozen");
        assertThat(rejectionOf(OpaqueProxy.class)).hasMessageContaining("already has a proxy that is opaque");
    }

    @Test
    void shouldRejectMethodsThatAnExistingInterfaceProxyLacks() {
        assertThat(rejectionOf(InterfaceProxy.class))
                .hasMessageContaining("WiderShop.close()")
                .hasMessageContaining("none of them declares this method");
    }

    @Test
    void shouldRejectAnnotatedInterfacesThatTheTargetDoesNotImplement() {
        assertThat(rejectionOf(ForeignTypeLevel.class))
                .hasMessageContaining("is not implemented by the target of the proxy")
                .hasMessageContaining("Annotate the methods of " + LockedShop.class.getName());
    }

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

    @DistributedLock
    static class ClassLevelWithFinal {

        public final void seal() {}
    }

    @DistributedLock
    static class ClassLevelWithHelpers {

        public void run() {
            first();
            second();
            third();
        }

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

    static class WithLock {

        @DistributedLock
        public void run() {}
    }

    static class FrozenProxy {

        @Bean
        static WithLock withLock() {
            ProxyFactory factory = new ProxyFactory(new WithLock());
            factory.setFrozen(true);
            return (WithLock) factory.getProxy();
        }
    }

    static class OpaqueProxy {

        @Bean
        static WithLock withLock() {
            ProxyFactory factory = new ProxyFactory(new WithLock());
            factory.setOpaque(true);
            return (WithLock) factory.getProxy();
        }
    }

    static class InterfaceProxy {

        @Bean
        static Shop shop() {
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(new WiderShop());
            factory.setInterfaces(Shop.class);
            return (Shop) factory.getProxy();
        }
    }

    @DistributedLock
    interface LockedShop extends Shop {}

    static class ForeignTypeLevel {

        @Bean
        static LockedShop shop() {
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(new Object());
            factory.setInterfaces(LockedShop.class);
            return (LockedShop) factory.getProxy();
        }
    }
}
