package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.aop.LockedContext;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.expression.EvaluationException;
import org.springframework.stereotype.Component;

class KeyEvaluationTest {

    @AutoClose
    private static final LockedContext context = LockedContext.of(Orders.class, Tenants.class);

    private final Orders orders = context.getBean(Orders.class);

    @BeforeEach
    void forget() {
        context.calls.requests.clear();
    }

    @Test
    void shouldEvaluateTheKeyOnceForEachCall() {
        Order order = new Order("42");

        this.orders.ship(order);
        this.orders.ship(order);

        assertThat(order.reads).isEqualTo(2);
        assertThat(keys()).containsExactly("42", "42");
    }

    @Test
    void shouldUseTheTypeOfTheArgument() {
        this.orders.ship(new Order("a"));
        this.orders.ship(new SpecialOrder("b"));
        this.orders.ship(new Order("c"));

        assertThat(keys()).containsExactly("a", "special b", "c");
    }

    @Test
    void shouldAccessBeansTargetAndMethod() {
        this.orders.byBean("42");
        this.orders.byTarget("42");
        this.orders.byMethod();
        this.orders.byPosition("a", "b");

        assertThat(keys()).containsExactly("acme-42", "eu:42", "byMethod", "b");
    }

    @Test
    void shouldNameMethodAndKeyWhenTheResultIsUnusable() {
        assertThatThrownBy(() -> this.orders.ship(new Order(null)))
                .isExactlyInstanceOf(InvalidLockKeyException.class)
                .hasMessage("Key \"#order.id\" of " + Orders.class.getName() + ".ship(Order) is null: all calls without"
                        + " a value would share one lock. Reject such calls before.");
        assertThatThrownBy(() -> this.orders.ship(new Order(" "))).hasMessageContaining("is blank");
        assertThatThrownBy(() -> this.orders.byAnything(List.of(List.of("a"))))
                .isExactlyInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("Key \"#value\" of " + Orders.class.getName() + ".byAnything(Object)")
                .hasMessageContaining("number 1 of 1 gave a value of type java.util.ImmutableCollections");
        assertThatThrownBy(() -> this.orders.byAnything(List.of())).hasMessageContaining("empty collection");
        assertThatThrownBy(() -> this.orders.byAnything("x".repeat(600)))
                .isExactlyInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("Key \"#value\" of " + Orders.class.getName() + ".byAnything(Object)")
                .hasMessageContaining("512 bytes");
        assertThatThrownBy(() -> this.orders.byAnything(new Order("a@b ".repeat(200))))
                .isExactlyInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("Key \"#value\" of " + Orders.class.getName() + ".byAnything(Object)")
                .hasMessageContaining("512 bytes");
        assertThatThrownBy(() -> this.orders.byRoot()).hasMessageContaining("differs between JVMs");
        assertThat(context.calls.requests).isEmpty();
    }

    @Test
    void shouldNameMethodKeyAndCauseWhenItCannotBeEvaluated() {
        assertThatThrownBy(() -> this.orders.ship(null))
                .isExactlyInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining(
                        "Key \"#order.id\" of " + Orders.class.getName() + ".ship(Order) cannot be evaluated: ")
                .hasCauseInstanceOf(EvaluationException.class);
        assertThatThrownBy(() -> this.orders.byBean("none"))
                .isExactlyInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("cannot be evaluated: no such tenant")
                .hasCauseInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> this.orders.byMissingBean())
                .isExactlyInstanceOf(InvalidLockKeyException.class)
                .hasMessageContaining("Key \"@missing.id()\"");
    }

    /** It is data, which can select a lock and has no other effect. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "T(java.lang.System).exit(1)",
                "#{T(java.lang.System).exit(1)}",
                "#id",
                "@tenants.of('a')",
                "${java.home}",
                "'; redis.call('FLUSHALL')",
                "%s{0}",
                "${jndi:ldap://localhost/a}"
            })
    void shouldNotEvaluateTheResultAgain(String key) {
        this.orders.byAnything(key);

        assertThat(context.calls.requests).singleElement().satisfies(request -> {
            assertThat(request.key()).isEqualTo(key);
            assertThat(request.lockName()).isEqualTo("Orders.byAnything:" + key);
        });
    }

    private static List<String> keys() {
        return context.calls.requests.stream().map(request -> request.key()).toList();
    }

    static class Order {

        private final String id;

        int reads;

        Order(String id) {
            this.id = id;
        }

        public String getId() {
            this.reads++;
            return this.id;
        }

        @Override
        public String toString() {
            return "Order " + this.id;
        }
    }

    static class SpecialOrder extends Order {

        SpecialOrder(String id) {
            super("special " + id);
        }
    }

    @Component("tenants")
    static class Tenants {

        public String of(String id) {
            if (id.equals("none")) {
                throw new IllegalArgumentException("no such tenant");
            }
            return "acme-" + id;
        }
    }

    static class Orders {

        @DistributedLock("#order.id")
        public void ship(Order order) {}

        @DistributedLock("@tenants.of(#id)")
        public void byBean(String id) {}

        @DistributedLock("#root.target.region + ':' + #id")
        public void byTarget(String id) {}

        @DistributedLock("#root.method.name")
        public void byMethod() {}

        @DistributedLock("#p1")
        public void byPosition(String first, String second) {}

        @DistributedLock("#value")
        public void byAnything(Object value) {}

        @DistributedLock("#root")
        public void byRoot() {}

        @DistributedLock("@missing.id()")
        public void byMissingBean() {}

        public String getRegion() {
            return "eu";
        }
    }
}
