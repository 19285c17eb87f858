package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.Future;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Bean;

/** An application in mode aspectj, in a JVM without a weaver. */
class WeavingRulesTest {

    @Test
    void shouldRejectMethodsThatAreNotWovenAndNameTheAgent() {
        assertThat(rejectionOf(Orders.class))
                .hasMessageContaining(Orders.class.getName()
                        + ".ship(): distributed-lock.mode=aspectj, but the method has not been woven")
                .extracting(InvalidLockDefinitionException::remedy)
                .asString()
                .contains("-javaagent:aspectjweaver.jar", Orders.class.getPackageName(), "distributed-lock.mode=proxy");
    }

    @Test
    void shouldRejectWhatAWeaverCannotFind() {
        assertThat(rejectionOf(Inherited.class))
                .hasMessageContaining(
                        "Inherited.ship(): distributed-lock.mode=aspectj, but the annotation is inherited")
                .hasMessageContaining("Annotate the method itself, or");
        assertThat(rejectionOf(OfLockedClass.class))
                .hasMessageContaining("the annotation is inherited")
                .hasMessageContaining("Annotate the method itself or the class that declares it");
        assertThat(rejectionOf(WithInheritedMethod.class))
                .hasMessageContaining("Base.ship() (of " + WithInheritedMethod.class.getName() + ")")
                .hasMessageContaining("the method is declared in a superclass without the annotation")
                .hasMessageContaining("Annotate " + Base.class.getName() + " too, or single methods");
        assertThat(rejectionOf(Client.class))
                .hasMessageContaining("Remote.call(): distributed-lock.mode=aspectj, but the method is abstract")
                .hasMessageContaining("Annotate a method that calls it");
    }

    @Test
    void shouldRejectWhatNeitherProxyNorWeaverSupports() {
        assertThat(rejectionOf(Deferred.class)).hasMessageContaining("the method returns a Future");
        assertThat(rejectionOf(InstanceFallback.class))
                .hasMessageContaining("InstanceFallback.ship(): fallback = \"otherwise\" is an instance method")
                .hasMessageContaining("Make the fallback static");
        assertThat(rejectionOf(StaticFallback.class)).hasMessageContaining("the method has not been woven");
    }

    @Test
    void shouldRejectTooManyLevelsOfComposedAnnotations() {
        assertThat(rejectionOf(TooDeep.class))
                .hasMessageContaining(
                        "TooDeep.ship(): distributed-lock.mode=aspectj, but a weaver finds the annotation in at most two levels")
                .hasMessageContaining("Reduce the levels between the method and the annotation of this library, or");
        assertThat(rejectionOf(DeepEnough.class)).hasMessageContaining("the method has not been woven");
    }

    @Test
    void shouldRunWithoutLocksIfDisabled() {
        try (LockedContext context = LockedContext.with(
                processor -> {
                    processor.setMode(AdviceMode.ASPECTJ);
                    processor.setEnabled(false);
                },
                Orders.class)) {
            context.getBean(Orders.class).ship();

            assertThat(context.registry.events).isEmpty();
        }
    }

    private static InvalidLockDefinitionException rejectionOf(Class<?> bean) {
        return LockedContext.rejection(
                () -> LockedContext.with(processor -> processor.setMode(AdviceMode.ASPECTJ), bean)
                        .close());
    }

    static class Orders {

        @DistributedLock
        public void ship() {}
    }

    static class Inherited extends Orders {

        @Override
        public void ship() {}
    }

    @DistributedLock
    static class LockedClass {}

    static class OfLockedClass extends LockedClass {

        public void ship() {}
    }

    static class Base {

        public void ship() {}
    }

    @DistributedLock
    static class WithInheritedMethod extends Base {}

    interface Remote {

        @DistributedLock
        void call();
    }

    static class Client {

        @Bean
        static Remote remote() {
            return ProxyFactory.getProxy(Remote.class, (MethodInterceptor) call -> null);
        }
    }

    static class Deferred {

        @DistributedLock
        Future<?> ship() {
            return null;
        }
    }

    static class InstanceFallback {

        @DistributedLock(fallback = "otherwise")
        static void ship() {}

        void otherwise() {}
    }

    static class StaticFallback {

        @DistributedLock(fallback = "otherwise")
        static void ship() {}

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

    static class DeepEnough {

        @Two
        public void ship() {}
    }

    static class TooDeep {

        @Three
        public void ship() {}
    }
}
