package io.github.lockstarter.aop;

import static io.github.lockstarter.aop.LockedContext.rejectionOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockDefinitionException;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.PriorityOrdered;

/** Annotations that would silently have another effect than intended. */
class MisuseTest {

    @ParameterizedTest
    @ValueSource(classes = {NamePosition.class, NameVariable.class, NameTemplate.class, NameRoot.class})
    void shouldRejectAnExpressionAsName(Class<?> bean) {
        assertThat(rejectionOf(bean))
                .hasMessageContaining("is not evaluated, so that all calls would share one lock")
                .hasMessageContaining("Expressions belong in key");
    }

    @Test
    void shouldAcceptANameWithAHash() {
        try (LockedContext context = LockedContext.of(NameWithHash.class)) {
            context.getBean(NameWithHash.class).run("1");

            assertThat(context.registry.requests.get(0).lockName()).isEqualTo("desk #1");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {FullBeans.class, LiteBeans.class, StaticBeans.class, LockedBeans.class})
    void shouldRejectBeanMethods(Class<?> configuration) {
        assertThat(rejectionOf(configuration))
                .hasMessageContaining(".desk()")
                .hasMessageContaining("a @Bean method runs only once")
                .hasMessageContaining("Annotate the methods in the class of the bean");
    }

    @ParameterizedTest
    @ValueSource(classes = {Initializing.class, Disposable.class})
    void shouldRejectLifecycleCallbacks(Class<?> bean) {
        assertThat(rejectionOf(bean))
                .hasMessageContaining("Spring calls this method on the bean itself and not through its proxy")
                .hasMessageContaining("ApplicationRunner");
    }

    @Test
    void shouldIgnoreCallbacksOfAnnotatedClasses() {
        try (LockedContext context = LockedContext.of(ClassLevelInitializing.class)) {
            context.getBean(ClassLevelInitializing.class).run();

            assertThat(context.registry.requests).hasSize(1);
        }
    }

    @Test
    void shouldRejectABeanThatIsCreatedBeforeThePostProcessor() {
        assertThat(rejectionOf(NeedsDesk.class))
                .hasMessageContaining(Desk.class.getName() + ".run()")
                .hasMessageContaining("the bean 'desk' was created too early")
                .hasMessageContaining("needed by needsDeskProcessor")
                .extracting(InvalidLockDefinitionException::remedy)
                .asString()
                .contains("ObjectProvider or @Lazy");
    }

    @Test
    void shouldAcceptABeanThatAPostProcessorObtainsLater() {
        try (LockedContext context = LockedContext.of(AsksLater.class)) {
            context.getBean(Desk.class).run();

            assertThat(context.registry.requests).hasSize(1);
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
        try (LockedContext context = LockedContext.with(processor -> processor.setEnabled(false), NeedsDesk.class)) {
            assertThat(context.getBean(Desk.class)).isNotNull();
        }
    }

    @Test
    void shouldNameContradictoryAttributes() {
        assertThat(rejectionOf(KeyAndValue.class))
                .hasMessageContaining("attributes contradict each other: attribute '")
                .hasMessageNotContaining("..");
    }

    @Test
    void shouldExplainWhyThereIsNoCurrentLease() {
        assertThatThrownBy(LeaseContext::required)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'" + Thread.currentThread().getName() + "'")
                .message()
                .contains(List.of(
                        "called on 'this'",
                        "@PostConstruct",
                        "@Async",
                        "LeaseContext.call",
                        "Reactor context",
                        "condition",
                        "distributed-lock.enabled=false",
                        "slice test"));
    }

    @Test
    void shouldNotAcceptAnUnlimitedMinimumHold() {
        LockRequest request = LockRequest.of("desk");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> request.withMinHold(Duration.ofMillis(-1)))
                .withMessageStartingWith("Lock 'desk': the minHold must be zero")
                .withMessageNotContaining("-1 ms for no limit");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request.withLease(Duration.ZERO))
                .withMessageContaining("-1 ms for no limit");
    }

    static class NamePosition {

        @DistributedLock(name = "order-#a0")
        public void run(String id) {}
    }

    static class NameVariable {

        @DistributedLock(name = "'order:' + #id")
        public void run(String id) {}
    }

    static class NameTemplate {

        @DistributedLock(name = "order-#{id}")
        public void run(String id) {}
    }

    static class NameRoot {

        @DistributedLock(name = "#root.target")
        public void run(String id) {}
    }

    static class NameWithHash {

        @DistributedLock(name = "desk #1")
        public void run(String id) {}
    }

    static class KeyAndValue {

        @DistributedLock(value = "#id", key = "#a0")
        public void run(String id) {}
    }

    static class Desk {

        @DistributedLock
        public void run() {}
    }

    @Configuration
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

    @Configuration(proxyBeanMethods = false)
    static class LiteBeans {

        @Bean
        @DistributedLock
        Desk desk() {
            return new Desk();
        }
    }

    @Configuration
    static class StaticBeans {

        @Bean
        @DistributedLock
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

    @DistributedLock
    static class ClassLevelInitializing implements InitializingBean {

        @Override
        public void afterPropertiesSet() {}

        public void run() {}
    }

    static class Processor implements BeanPostProcessor, PriorityOrdered {

        @Override
        public int getOrder() {
            return 0;
        }
    }

    @Configuration
    static class NeedsDesk extends PlainDesk {

        @Bean
        static Processor needsDeskProcessor(Desk desk) {
            return new Processor();
        }
    }

    @Configuration
    static class AsksLater extends PlainDesk {

        @Bean
        static Processor asksLaterProcessor(ObjectProvider<Desk> desk) {
            return new Processor();
        }
    }
}
