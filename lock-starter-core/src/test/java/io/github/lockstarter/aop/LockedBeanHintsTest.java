package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.key.CallRoot;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.javapoet.ClassName;
import org.springframework.util.ReflectionUtils;

/** Hints for what locked methods and their keys access by reflection in a native image. */
class LockedBeanHintsTest {

    @Test
    void shouldCoverCallsAndKeys() {
        RuntimeHints hints = hintsFor(Orders.class);

        assertThat(hints).matches(invoked(Orders.class, "settle"));
        assertThat(hints).as("stands in").matches(invoked(Orders.class, "later"));
        assertThat(hints).as("a property").matches(invoked(Order.class, "customer"));
        assertThat(hints).as("a property of it").matches(invoked(Customer.class, "getId"));
        assertThat(hints).as("a component, which a text shows").matches(read(Order.class, "customer"));
        assertThat(hints).as("a component of an element").matches(read(Article.class, "code"));
        assertThat(hints).as("a method that is no property").matches(invoked(Order.class, "asText"));
        assertThat(hints).as("elements of a list").matches(invoked(Article.class, "code"));
        assertThat(hints).as("repeated").matches(invoked(Orders.class, "count"));
        assertThat(hints).as("of the condition of a semaphore").matches(invoked(Urgent.class, "reason"));
        assertThat(hints).as("#root").matches(invoked(CallRoot.class, "getMethod"));
        assertThat(hints)
                .as("read by no key")
                .matches(invoked(Unread.class, "code").negate());
    }

    @Test
    void shouldCoverNothingElse() {
        assertThat(hintsFor(Customer.class))
                .matches(invoked(Customer.class, "getId").negate());
    }

    private static RuntimeHints hintsFor(Class<?> bean) {
        DefaultGenerationContext generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(LockedBeanHintsTest.class)), new InMemoryGeneratedFiles());
        try (GenericApplicationContext context = new GenericApplicationContext()) {
            context.registerBean(bean);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        return generation.getRuntimeHints();
    }

    private static Predicate<RuntimeHints> invoked(Class<?> type, String name) {
        Method[] methods = ReflectionUtils.getAllDeclaredMethods(type);
        for (Method method : methods) {
            if (method.getName().equals(name)) {
                return RuntimeHintsPredicates.reflection().onMethodInvocation(method);
            }
        }
        throw new IllegalArgumentException(type + " has no " + name);
    }

    private static Predicate<RuntimeHints> read(Class<?> type, String name) {
        Field field = ReflectionUtils.findField(type, name);
        return RuntimeHintsPredicates.reflection().onFieldAccess(Objects.requireNonNull(field));
    }

    static class Orders {

        @DistributedLock(key = "#order.customer.id", fallback = "later")
        public void settle(Order order) {}

        void later(Order order, LockNotGrantedException failure) {}

        @DistributedLock(name = "stock", key = "#articles[0].code")
        @DistributedLock(name = "count")
        public void count(List<Article> articles) {}

        @DistributedSemaphore(name = "urgent", permitsString = "${missing}", condition = "#urgent.reason != ''")
        public void hurry(Urgent urgent) {}

        @DistributedLock(name = "all")
        public void recount(Unread unread) {}
    }

    record Order(Customer customer) {

        public String asText() {
            return "";
        }
    }

    static class Customer {

        public String getId() {
            return "";
        }
    }

    record Article(String code) {}

    record Urgent(String reason) {}

    record Unread(String code) {}
}
