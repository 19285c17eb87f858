package io.github.lockstarter.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InvalidLockConditionException;
import io.github.lockstarter.InvalidLockKeyException;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.aop.LockedContext;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.expression.EvaluationException;

/** A call whose condition is false runs without the lock. */
class ConditionTest {

    @AutoClose
    private final LockedContext context = LockedContext.of(Orders.class);

    private final Orders orders = this.context.getBean(Orders.class);

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
        assertThatThrownBy(() -> this.orders.bySwitch("42", null))
                .isExactlyInstanceOf(InvalidLockConditionException.class)
                .hasMessageContaining("cannot be evaluated: ")
                .hasCauseInstanceOf(EvaluationException.class);

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

        @DistributedLock(name = "order", condition = "#order")
        @DistributedLock(name = "stock", condition = "#stock")
        public String move(boolean order, boolean stock) {
            return lock();
        }

        @DistributedLock(name = "one", condition = "#once", waitTime = 0)
        @DistributedLock(name = "one", condition = "!#once", waitTime = 5000)
        public void either(boolean once) {}

        @DistributedLock(name = "outer")
        public String outer(Supplier<String> body) {
            return body.get();
        }

        @DistributedLock(condition = "#value")
        public void byAnything(Object value) {
            this.runs++;
        }
    }
}
