package io.github.lockstarter.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockQueueFullException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.AcquireObserver.Acquiring;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import io.github.lockstarter.store.InMemoryLockStore;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What traces show of acquisitions: whose they are, how they end, and that locks do without. */
@Timeout(60)
class AcquisitionObservationsTest {

    private static final LockRequest ORDER = LockRequest.of("orders", "42");

    private static final LockRequest ONCE = ORDER.withWaitTime(Duration.ZERO);

    private final ObservationRegistry observations = ObservationRegistry.create();

    private final Recorded recorded = new Recorded();

    private final LeasingLockRegistry registry = registry(new AcquisitionObservations(this.observations, null));

    private static LeasingLockRegistry registry(AcquisitionObservations observer) {
        return new LeasingLockRegistry(
                new InMemoryLockStore(), LockSettings.of(Duration.ofSeconds(10)), null, List.of(), observer);
    }

    AcquisitionObservationsTest() {
        this.observations.observationConfig().observationHandler(this.recorded);
    }

    @AfterEach
    void stop() {
        assertThat(this.observations.getCurrentObservationScope()).isNull();
        this.registry.stop();
        assertThat(this.recorded.stopped).containsExactlyInAnyOrderElementsOf(this.recorded.started);
    }

    @Test
    void shouldBeAChildOfWhatItsCallerDoes() throws Exception {
        Observation parent = Observation.start("request", this.observations);
        AtomicReference<Observation> inBody = new AtomicReference<>();

        long token = parent.observeChecked(() -> this.registry.execute(ORDER, lease -> {
            inBody.set(this.observations.getCurrentObservation());
            // Entered again: without a wait and without a command.
            assertThat(this.registry.getLock("orders:42").tryLock()).isTrue();
            this.registry.getLock("orders:42").unlock();
            return lease.fencingToken();
        }));

        assertThat(this.recorded.stopped).singleElement().satisfies(context -> {
            assertThat(context.getName()).isEqualTo("distributed.lock.acquisition");
            assertThat(context.getContextualName()).isEqualTo("acquire orders");
            assertThat(context.getParentObservation()).isSameAs(parent);
            assertThat(Recorded.tags(context))
                    .containsOnly(
                            entry("lock", "orders"),
                            entry("distributed.lock.mode", "write"),
                            entry("outcome", "acquired"));
            assertThat(Recorded.details(context))
                    .containsEntry("key", "42")
                    .containsEntry("fencing.token", Long.toString(token))
                    .containsOnlyKeys("key", "fencing.token", "distributed.lock.instance");
        });
        assertThat(inBody.get()).isSameAs(parent);
    }

    @Test
    void shouldNameTheInstanceAndAfterATimeOutTheHolder() throws Exception {
        try (Lease lease = this.registry.acquire(ORDER)) {
            assertThat(this.registry.tryAcquire(ONCE)).isEmpty();
            assertThat(this.registry.acquireAsync(ONCE).toCompletableFuture()).failsWithin(Duration.ofSeconds(10));
        }

        String instance = this.recorded.stopped.get(0).getInstance();
        assertThat(instance).matches("[0-9A-Za-z]{11}");
        assertThat(this.recorded.stopped)
                .extracting(context -> Recorded.details(context).get("distributed.lock.instance"))
                .containsExactly(instance, instance, instance);
        assertThat(this.recorded.stopped)
                .extracting(context -> Recorded.details(context).get("distributed.lock.holder"))
                .containsExactly(null, instance, instance);
        assertThat(this.recorded.stopped.get(2).getHolder().pid())
                .isEqualTo(ProcessHandle.current().pid());
    }

    @Test
    void shouldObserveEachLockOfACallOnce() throws Exception {
        List<LockRequest> three = List.of(LockRequest.of("a"), LockRequest.of("b"), LockRequest.of("c"));
        CompletableFuture<?> call;
        try (Lease taken = this.registry.acquire(LockRequest.of("b"))) {
            call = CompletableFuture.runAsync(() -> this.registry.executeWithoutResult(three, lease -> {}));
            await().until(() -> this.registry.awaited("b").isPresent()
                    && !this.registry.getLock("c").isLocked());
            assertThat(taken.isHeld()).isTrue();
        }
        assertThat(call).succeedsWithin(Duration.ofSeconds(30));

        assertThat(this.recorded.stopped)
                .extracting(context ->
                        context.getLock() + " " + Recorded.tags(context).get("outcome"))
                .containsExactly("b acquired", "a acquired", "b acquired", "c acquired");
    }

    @Test
    void shouldObserveTheInterruptOfACallOfSeveralLocks() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> this.registry.executeWithoutResult(
                        List.of(LockRequest.of("a"), LockRequest.of("b")), lease -> {}))
                .isInstanceOf(LockInterruptedException.class);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(this.recorded.stopped)
                .extracting(context ->
                        context.getLock() + " " + Recorded.tags(context).get("outcome"))
                .containsExactly("a interrupted");
    }

    @Test
    void shouldBeTheCurrentOneWhileItsThreadWaits() throws Exception {
        LeaseLock lock = this.registry.getLock("jobs");
        assertThat(lock.tryLock()).isTrue();
        CompletableFuture<Long> token = CompletableFuture.supplyAsync(
                () -> {
                    lock.lock();
                    try {
                        return lock.currentLease().fencingToken();
                    } finally {
                        lock.unlock();
                    }
                },
                command -> new Thread(command, "second").start());
        await().until(() -> this.registry.waiting() == 1);

        assertThat(this.recorded.current.getContext()).isSameAs(this.recorded.started.get(1));
        assertThat(this.recorded.stopped).hasSize(1);
        lock.unlock();

        // Handed over by the thread that unlocks, and still reported by the one that waited.
        long second = token.join();
        assertThat(this.recorded.stopped.get(1).getFencingToken()).isEqualTo(second);
        assertThat(Recorded.details(this.recorded.stopped.get(1))).doesNotContainKey("key");
    }

    @Test
    void shouldTellHowTheWaitEndedWithoutALock() throws Exception {
        try (Lease lease = this.registry.acquire(ORDER)) {
            assertThat(this.registry.tryAcquire(ONCE)).isEmpty();
            assertThatExceptionOfType(LockNotGrantedException.class).isThrownBy(() -> this.registry.acquire(ONCE));
            assertThatExceptionOfType(LockQueueFullException.class)
                    .isThrownBy(() -> this.registry.acquire(ORDER.withMaxWaiters(0)));
            Thread.currentThread().interrupt();
            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.registry.acquire(ORDER));
            lease.ensureHeld();
        }
        this.registry.stop();
        assertThatExceptionOfType(LockException.class).isThrownBy(() -> this.registry.acquire(ORDER));

        assertThat(this.recorded.stopped)
                .extracting(LockAcquisitionContext::getOutcome)
                .containsExactly("acquired", "skipped", "timeout", "queue_full", "interrupted", "error");
        assertThat(this.recorded.stopped.get(5).getError()).isInstanceOf(LockException.class);
        assertThat(this.recorded.stopped.subList(0, 5))
                .extracting(Observation.Context::getError)
                .containsOnlyNulls();
    }

    @Test
    void shouldFollowAsynchronousCallsToTheirEndOnAnotherThread() throws Exception {
        Observation parent = Observation.start("request", this.observations);
        Lease first = this.registry.acquire(LockRequest.of("orders", "first"));
        AtomicReference<Throwable> beforeItsEnd = new AtomicReference<>();

        CompletableFuture<Lease> waiting;
        try (Observation.Scope scope = parent.openScope()) {
            assertThat(scope).isSameAs(this.observations.getCurrentObservationScope());
            waiting = this.registry.acquireAsync(LockRequest.of("orders", "first"));
        }
        this.recorded.atEnd = () -> beforeItsEnd.set(catchThrowable(() -> waiting.get(200, TimeUnit.MILLISECONDS)));
        await().until(() -> this.registry.waiting() == 1);
        assertThat(this.recorded.stopped).hasSize(1);
        first.close();

        try (Lease lease = waiting.join()) {
            assertThat(this.recorded.stopped.get(1).getFencingToken()).isEqualTo(lease.fencingToken());
        }
        assertThat(this.recorded.stopped.get(1).getParentObservation()).isSameAs(parent);
        // The work that hangs off the future would count as waiting.
        assertThat(beforeItsEnd.get()).isInstanceOf(TimeoutException.class);
    }

    @Test
    void shouldLockWhateverHandlersThrow() throws Exception {
        for (String bad : List.of("onStart", "onScopeOpened", "onScopeClosed", "onStop")) {
            ObservationRegistry trouble = ObservationRegistry.create();
            trouble.observationConfig().observationHandler(failingAt(bad));
            LeasingLockRegistry troubled = registry(new AcquisitionObservations(trouble, null));
            Observation parent = Observation.start("request", trouble);
            try (Observation.Scope scope = parent.openScope()) {
                Lease lease = troubled.acquire(ORDER);
                assertThat(trouble.getCurrentObservationScope()).as(bad).isSameAs(scope);
                lease.close();
                assertThat(troubled.acquireAsync(ORDER))
                        .as(bad)
                        .succeedsWithin(Duration.ofSeconds(20))
                        .satisfies(Lease::close);
            } finally {
                troubled.stop();
            }
            assertThat(trouble.getCurrentObservationScope()).as(bad).isNull();
        }
    }

    @Test
    void shouldObserveNothingForNobody() {
        assertThat(new AcquisitionObservations(ObservationRegistry.NOOP, null).began(ORDER, "i"))
                .isSameAs(Acquiring.UNOBSERVED);
        assertThat(new AcquisitionObservations(ObservationRegistry.create(), null).began(ORDER, "i"))
                .isSameAs(Acquiring.UNOBSERVED);
        this.observations.observationConfig().observationPredicate((name, context) -> !name.startsWith("distributed"));
        assertThat(new AcquisitionObservations(this.observations, null).began(ORDER, "i"))
                .isSameAs(Acquiring.UNOBSERVED);
    }

    /**
     * Returns a handler that fails at one moment in the life of an acquisition, with an error rather than an exception.
     */
    private static ObservationHandler<?> failingAt(String moment) {
        return (ObservationHandler<?>) Proxy.newProxyInstance(
                ObservationHandler.class.getClassLoader(),
                new Class<?>[] {ObservationHandler.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(moment)) {
                        throw new LinkageError(moment);
                    }
                    return arguments[0] instanceof LockAcquisitionContext;
                });
    }

    /** Keeps the acquisitions that have been observed to their end, in the order of their ends. */
    private final class Recorded implements ObservationHandler<LockAcquisitionContext> {

        final List<LockAcquisitionContext> started = new CopyOnWriteArrayList<>();

        final List<LockAcquisitionContext> stopped = new CopyOnWriteArrayList<>();

        /** The one whose scope was opened last. */
        volatile @Nullable Observation current;

        /** What else happens at the end of each. */
        volatile Runnable atEnd = () -> {};

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof LockAcquisitionContext;
        }

        @Override
        public void onStart(LockAcquisitionContext context) {
            this.started.add(context);
        }

        @Override
        public void onScopeOpened(LockAcquisitionContext context) {
            this.current = AcquisitionObservationsTest.this.observations.getCurrentObservation();
        }

        @Override
        public void onStop(LockAcquisitionContext context) {
            this.atEnd.run();
            this.stopped.add(context);
        }

        static Map<String, String> tags(LockAcquisitionContext context) {
            return context.getLowCardinalityKeyValues().stream()
                    .collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
        }

        static Map<String, String> details(LockAcquisitionContext context) {
            return context.getHighCardinalityKeyValues().stream()
                    .collect(Collectors.toMap(KeyValue::getKey, KeyValue::getValue));
        }
    }
}
