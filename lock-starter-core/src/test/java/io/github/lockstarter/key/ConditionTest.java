package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockConditionException;
import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.aop.LockedContext;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;

/** A call whose condition is false runs without the lock. */
class ConditionTest {

    private final LockedContext context = LockedContext.prepare(processor -> {}, Orders.class, Desk.class);

    private Orders orders;

    @BeforeEach
    void start() {
        this.context.registerBean("tenants", Tenants.class);
        this.context.property("locks", "true");
        this.context.refresh();
        this.orders = this.context.getBean(Orders.class);
    }

    @AfterEach
    void stop() {
        this.context.close();
    }

    @Test
    void shouldAcquireOnlyIfMet() {
        assertThat(this.orders.ship("42", true)).isEqualTo("Orders.ship:42");
        assertThat(this.orders.ship("43", false)).isEqualTo("none");

        assertThat(this.context.calls.events).containsExactly("lock Orders.ship:42", "unlock Orders.ship:42");
    }

    @Test
    void shouldBeEvaluatedOnceAndBeforeTheKey() {
        Flag met = new Flag(true);
        Flag unmet = new Flag(false);

        this.orders.bySwitch("42", met);
        this.orders.bySwitch(null, unmet);

        assertThat(met.reads).hasValue(1);
        assertThat(unmet.reads).hasValue(1);
        assertThat(this.context.calls.requests)
                .singleElement()
                .satisfies(request -> assertThat(request.key()).isEqualTo("42"));
        assertThatThrownBy(() -> this.orders.bySwitch(null, met)).isInstanceOf(InvalidLockKeyException.class);
    }

    @Test
    void shouldAccessBeansTargetMethodAndPositions() {
        assertThat(this.orders.byBean("shared")).isEqualTo("Orders.byBean");
        assertThat(this.orders.byBean("own")).isEqualTo("none");
        assertThat(this.orders.byTarget("eu")).isEqualTo("Orders.byTarget");
        assertThat(this.orders.byTarget("us")).isEqualTo("none");
        assertThat(this.orders.byMethod(7)).isEqualTo("Orders.byMethod");
        assertThat(this.orders.byMethod(3)).isEqualTo("none");
    }

    @Test
    void shouldApplyToEachAnnotationSeparately() {
        assertThat(this.orders.move(true, true)).isEqualTo("stock");
        assertThat(this.orders.move(true, false)).isEqualTo("order");
        assertThat(this.orders.move(false, true)).isEqualTo("stock");
        assertThat(this.orders.move(false, false)).isEqualTo("none");

        assertThat(this.context.calls.events.stream().filter(event -> event.startsWith("lock")))
                .containsExactly("lock order", "lock stock", "lock order", "lock stock");
    }

    @Test
    void shouldChooseBetweenTwoAnnotationsForOneLock() {
        this.orders.either(true);
        assertThat(this.context.calls.request().waitTime()).hasMillis(0);
        this.orders.either(false);
        assertThat(this.context.calls.request().waitTime()).hasMillis(5000);

        assertThat(this.context.calls.requests).hasSize(2);
    }

    @Test
    void shouldApplyToComposedAndClassAnnotations() {
        assertThat(this.orders.composed(true)).isEqualTo("composed");
        assertThat(this.orders.composed(false)).isEqualTo("none");

        Desk desk = this.context.getBean(Desk.class);
        assertThat(desk.open(true)).isEqualTo("desk");
        assertThat(desk.open(false)).isEqualTo("none");
    }

    @Test
    void shouldNotHideTheLeaseOfAnOuterMethod() {
        assertThat(this.orders.outer(() -> this.orders.ship("42", false))).isEqualTo("outer");
        assertThat(this.orders.outer(() -> this.orders.ship("42", true))).isEqualTo("Orders.ship:42");
    }

    @Test
    void shouldRejectResultsThatAreNotBoolean() {
        assertThatThrownBy(() -> this.orders.byAnything(null))
                .isExactlyInstanceOf(InvalidLockConditionException.class)
                .hasMessageContaining(
                        "Condition \"#value\" of " + Orders.class.getName() + ".byAnything(Object) is null")
                .hasNoCause();
        assertThatThrownBy(() -> this.orders.byAnything("true"))
                .isExactlyInstanceOf(InvalidLockConditionException.class)
                .hasMessageContaining(".byAnything(Object) has a result of type java.lang.String");
        assertThatThrownBy(() -> this.orders.byBean(null))
                .isExactlyInstanceOf(InvalidLockConditionException.class)
                .hasMessageContaining("cannot be evaluated: no tenant")
                .hasCauseInstanceOf(IllegalArgumentException.class);

        assertThat(this.orders.runs()).as("not run").isZero();
        assertThat(this.context.calls.requests).isEmpty();
    }

    private static String lock() {
        return LeaseContext.current().map(lease -> lease.name()).orElse("none");
    }

    record Flag(boolean value, AtomicInteger reads) {

        Flag(boolean value) {
            this(value, new AtomicInteger());
        }

        public boolean isSet() {
            this.reads.incrementAndGet();
            return this.value;
        }
    }

    static class Tenants {

        public boolean isShared(String id) {
            if (id == null) {
                throw new IllegalArgumentException("no tenant");
            }
            return id.equals("shared");
        }
    }

    static class Orders {

        private int runs;

        int runs() {
            return this.runs;
        }

        @DistributedLock(key = "#id", condition = "#urgent")
        public String ship(String id, boolean urgent) {
            return lock();
        }

        @DistributedLock(key = "#id", condition = "#flag.isSet()")
        public void bySwitch(String id, Flag flag) {}

        @DistributedLock(condition = "@tenants.isShared(#id)")
        public String byBean(String id) {
            this.runs += id == null ? 1 : 0;
            return lock();
        }

        @DistributedLock(condition = "#root.target.region == #region")
        public String byTarget(String region) {
            return lock();
        }

        @DistributedLock(condition = "#root.method.name == 'byMethod' and #a0 > 5")
        public String byMethod(int count) {
            return lock();
        }

        @DistributedLock(name = "order", condition = "#order")
        @DistributedLock(name = "stock", condition = "#stock")
        public String move(boolean order, boolean stock) {
            return lock();
        }

        @DistributedLock(name = "one", condition = "#once", waitTime = 0)
        @DistributedLock(name = "one", condition = "!#once", waitTime = 5000)
        public void either(boolean once) {}

        @LockedIf("#wanted")
        public String composed(boolean wanted) {
            return lock();
        }

        @DistributedLock(name = "outer")
        public String outer(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(condition = "#value")
        public void byAnything(Object value) {
            this.runs++;
        }

        public String getRegion() {
            return "eu";
        }
    }

    @DistributedLock(name = "desk", condition = "#a0")
    static class Desk {

        public String open(boolean wanted) {
            return lock();
        }
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "composed")
    @interface LockedIf {

        @AliasFor(annotation = DistributedLock.class, attribute = "condition")
        String value();
    }
}
