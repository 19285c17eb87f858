package io.github.lockstarter.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.DistributedSemaphore;
import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.AcquireObserver;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestContextManager;

/** Tests that are run as the framework runs them, in a context that all of them share. */
@Timeout(120)
class CheckLockOrderTest {

    private TestContextManager manager;

    private ApplicationContext context;

    private LockRegistry registry;

    private Shop shop;

    @BeforeEach
    void start() throws Exception {
        this.manager = new TestContextManager(Checked.class);
        this.context = this.manager.getTestContext().getApplicationContext();
        this.registry = this.context.getBean(LockRegistry.class);
        this.shop = this.context.getBean(Shop.class);
    }

    /** Each test uses names of its own, because the context keeps the order of all tests. */
    @AfterEach
    void nothingShouldBeLeft() throws Exception {
        endOfTest();
    }

    @Test
    void shouldReportAnInversionWithBothStacks() throws Exception {
        firstThenSecond();
        endOfTest();
        secondThenFirst();

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(this::endOfTest)
                .withMessageContainingAll("'second' before 'first' here", "'first' before 'second' earlier")
                .satisfies(inversion -> {
                    assertThat(methods(inversion)).contains("secondThenFirst");
                    assertThat(inversion.getSuppressed()).hasSize(1);
                    assertThat(methods(inversion.getSuppressed()[0])).contains("firstThenSecond");
                    assertThat(methods(inversion.getSuppressed()[0].getSuppressed()[0]))
                            .as("where the first lock was acquired")
                            .contains("firstThenSecond");
                });
        endOfTest();
    }

    private void firstThenSecond() throws InterruptedException {
        try (Lease outer = acquire("first:1");
                Lease inner = acquire("second:1")) {
            assertThat(outer.isHeld()).isEqualTo(inner.isHeld());
        }
    }

    private void secondThenFirst() throws InterruptedException {
        try (Lease outer = acquire("second:2");
                Lease inner = acquire("first:2")) {
            assertThat(outer.isHeld()).isEqualTo(inner.isHeld());
        }
    }

    @Test
    void shouldFindAnInversionOfAnotherClassWithTheSameContext() throws Exception {
        nested("cached-a", "cached-b");
        endOfTest();
        TestContextManager other = new TestContextManager(CheckedToo.class);
        assertThat(other.getTestContext().getApplicationContext()).isSameAs(this.context);
        nested("cached-b", "cached-a");

        assertThatExceptionOfType(AssertionError.class).isThrownBy(other::afterTestClass);
    }

    @Test
    void shouldFindAnInversionAgainInEachTestThatMakesIt() throws Exception {
        nested("again-a", "again-b");
        nested("again-b", "again-a");
        assertInverted();
        nested("again-b", "again-a");
        assertInverted();
        nested("again-a", "again-b");
    }

    @Test
    void shouldFindACircleOfThreeNames() throws Exception {
        nested("circle-a", "circle-b");
        nested("circle-b", "circle-c");
        endOfTest();
        nested("circle-c", "circle-a");

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(this::endOfTest)
                .withMessageContainingAll("'circle-c' before 'circle-a'", "'circle-a' before 'circle-b'")
                .satisfies(inversion -> assertThat(inversion.getSuppressed()).hasSize(2));
    }

    @Test
    void shouldIgnoreKeysAttemptsAndEndedHolds() throws Exception {
        nested("keys:1", "keys:2");
        nested("keys:2", "keys:1");

        nested("attempt-a", "attempt-b");
        try (Lease held = acquire("attempt-b")) {
            assertThat(this.registry.tryAcquire(LockRequest.of("attempt-a").withWaitTime(Duration.ZERO)))
                    .hasValueSatisfying(Lease::release);
            assertThat(held.isHeld()).isTrue();
        }

        nested("ended-a", "ended-b");
        acquire("ended-b").close();
        acquire("ended-a").close();
        this.registry.getLock("ended-b").lock();
        this.registry.getLock("ended-b").unlock();
        this.registry.getLock("ended-a").lock();
        this.registry.getLock("ended-a").unlock();
    }

    /** Another reader keeps the token in use. */
    @Test
    void shouldIgnoreALeaseOfAReaderThatOthersShare() throws Exception {
        nested("reader-a", "reader-b");
        LockRequest reader = LockRequest.of("reader-b").withMode(LockMode.READ);
        Lease other = CompletableFuture.supplyAsync(() ->
                        this.registry.acquireAsync(reader).toCompletableFuture().join())
                .join();
        this.registry.acquire(reader).close();
        nested("reader-a", "reader-c");
        other.release();
    }

    @Test
    void shouldFollowAnnotatedMethods() throws Exception {
        this.shop.outer(() -> this.shop.inner(() -> {}));
        endOfTest();
        this.shop.inner(() -> this.shop.outer(() -> {}));

        assertInverted();
    }

    @Test
    void shouldFollowTheBodyOfAFutureInAnyThread() throws Exception {
        this.shop
                .outerLater(lease -> CompletableFuture.runAsync(() -> LeaseContext.call(lease, same -> {
                    nestedUnder("future-inner");
                    return true;
                })))
                .get(30, TimeUnit.SECONDS);
        endOfTest();
        try (Lease held = acquire("future-inner")) {
            this.shop
                    .outerLater(lease -> CompletableFuture.completedFuture(null))
                    .get(30, TimeUnit.SECONDS);
            assertThat(held.isHeld()).isTrue();
        }

        assertInverted();
    }

    /** The work of both goes on elsewhere, and waits for nothing. */
    @Test
    void shouldNotFollowAFutureWhoseMethodHasReturned() throws Exception {
        CompletableFuture<Void> work = new CompletableFuture<>();
        CompletableFuture<Void> first = this.shop.outerLater(lease -> work);
        this.shop.after(() -> {});
        CompletableFuture<Void> second = this.shop.repeatedLater(List.of("1"), work);
        CompletableFuture<Void> third = this.shop.repeatedLater(List.of("2"), work);
        work.complete(null);
        CompletableFuture.allOf(first, second, third).get(30, TimeUnit.SECONDS);
        this.shop.after(() -> this.shop.outer2());
    }

    @Test
    void shouldFollowStagesThatRunWithTheCompletionOfAFuture() throws Exception {
        Lease other = acquire("stage-a");
        CompletableFuture<Boolean> released = this.registry
                .acquireAsync(LockRequest.of("stage-a"))
                .toCompletableFuture()
                .thenCompose(outer -> this.registry
                        .acquireAsync(LockRequest.of("stage-b"))
                        .thenCompose(Lease::releaseAsync)
                        .thenCompose(unused -> outer.releaseAsync()));
        other.release();
        released.get(30, TimeUnit.SECONDS);
        endOfTest();
        nested("stage-b", "stage-a");

        assertInverted();
    }

    @Test
    void shouldFollowTheSortedLocksOfOneCall() throws Exception {
        this.shop.repeated();
        this.shop
                .repeatedLater(List.of("1", "2"), CompletableFuture.completedFuture(null))
                .get(30, TimeUnit.SECONDS);
        endOfTest();
        nested("repeated-a", "repeated-b");
        nested("permits", "repeated-a");
        endOfTest();
        nested("repeated-b", "repeated-a");
        assertInverted();
        nested("later-b", "later-a");
        assertInverted();
    }

    @Test
    void shouldKeepObserversEventsAndTheInventory() throws Exception {
        Observer observer = this.context.getBean(Observer.class);
        Events events = this.context.getBean(Events.class);
        try (Lease lease = acquire("kept:1")) {
            assertThat(this.context.getBean(LeasingLockRegistry.class).held("kept:1"))
                    .hasValueSatisfying(held -> assertThat(held.fencingToken()).isEqualTo(lease.fencingToken()));
        }
        assertThat(observer.names).contains("kept");
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(events.names).contains("kept"));
    }

    @Test
    void shouldDoNothingWithoutTheAnnotation() throws Exception {
        TestContextManager unchecked = new TestContextManager(Unchecked.class);
        assertThat(unchecked.getTestContext().getApplicationContext().getBeansOfType(LockOrder.class))
                .isEmpty();
        unchecked.afterTestClass();
    }

    private Lease acquire(String name) throws InterruptedException {
        return this.registry.acquire(LockRequest.of(name));
    }

    private void nested(String outer, String inner) throws InterruptedException {
        try (Lease first = acquire(outer);
                Lease second = acquire(inner)) {
            assertThat(first.isHeld() && second.isHeld()).isTrue();
        }
    }

    private void nestedUnder(String inner) {
        this.registry.executeWithoutResult(LockRequest.of(inner), lease -> {});
    }

    /** As the framework does after a test method. */
    private void endOfTest() throws Exception {
        Object instance = new Checked();
        this.manager.prepareTestInstance(instance);
        this.manager.afterTestMethod(instance, Object.class.getMethod("toString"), null);
    }

    private void assertInverted() {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(this::endOfTest);
    }

    private static Stream<String> methods(Throwable thrown) {
        return Arrays.stream(thrown.getStackTrace()).map(StackTraceElement::getMethodName);
    }

    @SpringBootTest(classes = Application.class)
    @UseInMemoryLocks
    @CheckLockOrder
    static class Checked {}

    @SpringBootTest(classes = Application.class)
    @UseInMemoryLocks
    @CheckLockOrder
    static class CheckedToo {}

    @SpringBootTest(classes = Application.class)
    @UseInMemoryLocks
    static class Unchecked {}

    @FunctionalInterface
    interface Later {

        CompletableFuture<Void> begin(Lease lease);
    }

    static class Shop {

        @DistributedLock(name = "outer")
        public void outer(Runnable body) {
            body.run();
        }

        @DistributedLock(name = "inner")
        public void inner(Runnable body) {
            body.run();
        }

        @DistributedLock(name = "future-outer")
        public CompletableFuture<Void> outerLater(Later body) {
            return body.begin(LeaseContext.required());
        }

        @DistributedLock(name = "future-outer")
        public void outer2() {}

        @DistributedLock(name = "future-after")
        public void after(Runnable body) {
            body.run();
        }

        @DistributedLock(name = "repeated-b")
        @DistributedLock(name = "repeated-a")
        @DistributedSemaphore(name = "permits", permits = 2)
        public void repeated() {}

        @DistributedLock(name = "later-b", key = "#keys")
        @DistributedLock(name = "later-a", key = "#keys")
        public CompletableFuture<Void> repeatedLater(List<String> keys, CompletableFuture<Void> work) {
            return work;
        }
    }

    /** Stands for the observations of the application. */
    static class Observer implements AcquireObserver {

        final List<String> names = new CopyOnWriteArrayList<>();

        @Override
        public Acquiring began(LockRequest request, String instance) {
            this.names.add(request.name());
            return Acquiring.UNOBSERVED;
        }
    }

    static class Events implements LockListener {

        final List<String> names = new CopyOnWriteArrayList<>();

        @Override
        public void acquired(LockAcquiredEvent event) {
            this.names.add(event.name());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Shop.class, Events.class})
    static class Application {

        @Bean
        Observer observer() {
            return new Observer();
        }
    }
}
