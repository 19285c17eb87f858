package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;

/** How the attributes of semaphores, and the mode of locks, become requests. */
class SemaphoreAttributesTest {

    @Test
    void shouldRequestOnePermitByDefault() {
        LockRequest request = requestOf(Exports::run);

        assertThat(request.mode()).isEqualTo(LockMode.PERMIT);
        assertThat(request.lockName()).isEqualTo("Exports.run");
        assertThat(request.weight()).isEqualTo(1);
        assertThat(request.permits()).isEqualTo(3);
        assertThat(request.lease()).isNull();
        assertThat(request.waitTime()).isNull();
        assertThat(request.maxHold()).isNull();
        assertThat(request.minHold()).isZero();
    }

    @Test
    void shouldReadAllAttributes() {
        LockRequest request = requestOf(exports -> exports.all("eu"));

        assertThat(request.lockName()).isEqualTo("exports:eu");
        assertThat(request.name()).isEqualTo("exports");
        assertThat(request.weight()).isEqualTo(2);
        assertThat(request.permits()).isEqualTo(5);
        assertThat(request.lease()).isEqualTo(Duration.ofSeconds(40));
        assertThat(request.waitTime()).isEqualTo(Duration.ofSeconds(4));
        assertThat(request.maxHold()).isEqualTo(Duration.ofMinutes(1));
        assertThat(request.minHold()).isEqualTo(Duration.ofSeconds(2));
        assertThat(request.onLost()).isEqualTo(OnLost.INTERRUPT);
    }

    @Test
    void shouldReadTextsWithPlaceholders() {
        LockRequest request = requestOf(Exports::texts);

        assertThat(request.name()).isEqualTo("exports-of-7");
        assertThat(request.permits()).isEqualTo(7);
        assertThat(request.lease()).isEqualTo(Duration.ofSeconds(7));
        assertThat(request.waitTime()).isEqualTo(Duration.ofMinutes(7));
    }

    @Test
    void shouldReadComposedAnnotations() {
        LockRequest request = requestOf(Exports::composed);

        assertThat(request.lockName()).isEqualTo("printers");
        assertThat(request.weight()).isEqualTo(3);
        assertThat(request.permits()).isEqualTo(4);
    }

    @Test
    void shouldRequestTheModeOfALock() {
        assertThat(requestOf(Exports::read).mode()).isEqualTo(LockMode.READ);
        assertThat(requestOf(Exports::write).mode()).isEqualTo(LockMode.WRITE);
    }

    @Test
    void shouldAcquirePermitsBeforeLocksAndReleaseThemAfter() {
        assertThat(eventsOf(Exports::both))
                .containsExactly("lock z-printers", "lock catalog", "unlock catalog", "unlock z-printers");
    }

    @Test
    void shouldAcquireThePermitsOfAllAnnotations() {
        assertThat(eventsOf(exports -> exports.repeated("eu")))
                .containsExactly("lock all", "lock each:eu", "unlock each:eu", "unlock all");
    }

    @Test
    void shouldAcquireWritersBeforeReadersAndMorePermitsBeforeFewer() {
        try (LockedContext context = context()) {
            context.getBean(Exports.class).nested();

            assertThat(context.registry.requests)
                    .extracting(LockRequest::lockName, LockRequest::mode, LockRequest::weight)
                    .containsExactly(
                            tuple("some", LockMode.PERMIT, 2),
                            tuple("some", LockMode.PERMIT, 1),
                            tuple("catalog", LockMode.WRITE, 0),
                            tuple("catalog", LockMode.READ, 0));
        }
    }

    @Test
    void shouldAcquireNothingIfTheConditionIsFalse() {
        assertThat(eventsOf(exports -> exports.large(10))).containsExactly("lock large", "unlock large");
        assertThat(eventsOf(exports -> exports.large(9))).isEmpty();
    }

    /** Neither annotation replaces the other. */
    @Test
    void shouldAcquirePermitsOfTheClassBesideTheLockOfTheMethod() {
        try (LockedContext context = LockedContext.of(Reports.class)) {
            Reports reports = context.getBean(Reports.class);

            reports.print();
            reports.plan();
            reports.own();

            assertThat(context.registry.events.stream().filter(event -> event.startsWith("lock")))
                    .containsExactly("lock reports", "lock reports", "lock plan", "lock own");
        }
    }

    private static LockRequest requestOf(Consumer<Exports> call) {
        try (LockedContext context = context()) {
            call.accept(context.getBean(Exports.class));
            return context.registry.request();
        }
    }

    private static List<String> eventsOf(Consumer<Exports> call) {
        try (LockedContext context = context()) {
            call.accept(context.getBean(Exports.class));
            return context.registry.events;
        }
    }

    private static LockedContext context() {
        LockedContext context = LockedContext.prepare(processor -> {}, Exports.class);
        context.property("seven", "7").refresh();
        return context;
    }

    static class Exports {

        @DistributedSemaphore(permits = 3)
        public void run() {}

        @DistributedSemaphore(
                name = "exports",
                value = "#region",
                permits = 5,
                weight = 2,
                lease = 40,
                waitTime = 4,
                maxHold = 60,
                minHold = 2,
                timeUnit = TimeUnit.SECONDS,
                onLost = OnLost.INTERRUPT)
        public void all(String region) {}

        @DistributedSemaphore(
                name = "exports-of-${seven}",
                permitsString = "${seven}",
                leaseString = "${seven}s",
                waitTimeString = "${seven}m")
        public void texts() {}

        @Printers(weight = 3)
        public void composed() {}

        @DistributedLock(name = "catalog", mode = LockMode.READ)
        public void read() {}

        @DistributedLock(name = "catalog")
        public void write() {}

        @DistributedLock(name = "catalog")
        @DistributedSemaphore(name = "z-printers", permits = 2)
        public void both() {}

        @DistributedSemaphore(name = "each", key = "#region", permits = 1)
        @DistributedSemaphore(name = "all", permits = 5)
        public void repeated(String region) {}

        @DistributedLock(name = "catalog", mode = LockMode.READ, condition = "true")
        @DistributedLock(name = "catalog")
        @DistributedSemaphore(name = "some", permits = 2)
        @DistributedSemaphore(name = "some", permits = 2, weight = 2, condition = "true")
        public void nested() {}

        @DistributedSemaphore(name = "large", permits = 1, condition = "#pages >= 10")
        public void large(int pages) {}
    }

    @DistributedSemaphore(name = "reports", permits = 2)
    static class Reports {

        public void print() {}

        @DistributedLock(name = "plan")
        public void plan() {}

        @DistributedSemaphore(name = "own", permits = 1)
        public void own() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedSemaphore(name = "printers", permits = 4)
    @interface Printers {

        @AliasFor(annotation = DistributedSemaphore.class)
        int weight();
    }
}
