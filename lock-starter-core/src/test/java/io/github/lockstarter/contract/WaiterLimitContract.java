package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.failureOf;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockQueueFullException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSequence;
import io.github.lockstarter.registry.LockSettings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** As many callers of an instance wait for a lock as its limit allows, and others are refused without a command. */
@SuppressWarnings("LockNotBeforeTry") // the second hold is the subject
abstract class WaiterLimitContract extends RegistryFixture {

    private final LockSettings limited = quiet(NONE).withMaxWaiters(1);

    @Test
    void shouldRefuseEachKindOfCallWithoutACommand() throws Exception {
        EventLog events = new EventLog();
        LeasingLockRegistry registry = registry(this.limited, events);
        Lease held = registry.acquire(request());
        CompletableFuture<Lease> waiting = registry.acquireAsync(request());
        LeaseLock lock = registry.getLock(NAME);
        long commands = backend().commands();

        List<Callable<?>> calls = List.of(
                () -> registry.acquire(request()),
                () -> registry.acquire(reader()),
                () -> registry.execute(request(), lease -> true),
                () -> get(registry.acquireAsync(request())),
                () -> {
                    lock.lock();
                    return true;
                },
                () -> {
                    lock.lockInterruptibly();
                    return true;
                });
        for (Callable<?> call : calls) {
            assertThatExceptionOfType(LockQueueFullException.class)
                    .isThrownBy(call::call)
                    .withMessageContainingAll(NAME, "at most 1", "maxWaiters", "this instance")
                    .satisfies(ex -> {
                        assertThat(ex.lockName()).isEqualTo(NAME);
                        assertThat(ex.holder())
                                .as("the holder is this instance")
                                .isNotNull();
                    });
        }
        assertThat(registry.tryAcquire(request())).isEmpty();
        assertThat(lock.tryLock(LONG)).isFalse();

        assertThat(backend().commands()).isEqualTo(commands);
        assertThat(registry.waiting()).isEqualTo(1);
        soon().until(() -> events.count(LockNotAcquiredEvent.class) == calls.size() + 2);
        assertThat(events.all(LockNotAcquiredEvent.class))
                .extracting(LockNotAcquiredEvent::outcome)
                .containsOnly(Outcome.QUEUE_FULL);
        held.release();
        get(waiting).release();
    }

    @Test
    void shouldRefusePermitsBeyondTheLimit() throws Exception {
        LeasingLockRegistry registry = registry(this.limited);
        Lease held = registry.acquire(permits(2, 2));
        CompletableFuture<Lease> waiting = registry.acquireAsync(permits(1, 2));
        // The waiter asks the store, and again after its subscription, so that commands cannot be counted.
        awaitInLine(1);

        assertThatExceptionOfType(LockQueueFullException.class)
                .isThrownBy(() -> registry.acquire(permits(1, 2)))
                .withMessageContainingAll("Semaphore", NAME);
        assertThat(registry.getSemaphore(NAME, 2).tryAcquire(1, LONG)).isEmpty();

        held.release();
        get(waiting).release();
    }

    @Test
    void shouldNeitherCountNorLimitCallersThatDoNotWait() throws Exception {
        LeasingLockRegistry registry = registry(quiet(NONE).withMaxWaiters(0));
        LeaseLock lock = registry.getLock(NAME);
        lock.lock();
        lock.lock();
        lock.unlock();
        assertThat(registry().getLock(NAME).tryLock()).isFalse();
        lock.unlock();

        Lease first = registry.acquire(reader());
        Lease second = registry.acquire(reader());
        assertThat(registry.tryAcquire(request().withWaitTime(Duration.ZERO))).isEmpty();
        first.release();
        second.release();
    }

    @Test
    void shouldRefuseACallerWhoseFirstAttemptFindsTheLockTakenElsewhere() throws Exception {
        Lease elsewhere = registry().acquire(request());
        LeasingLockRegistry registry = registry(quiet(NONE).withMaxWaiters(0));

        assertThatExceptionOfType(LockQueueFullException.class)
                .isThrownBy(() -> registry.acquire(request().withWaitTime(LONG)));
        assertThat(backend().inLine(NAME)).as("places in the line").isZero();

        Lease waited = get(registry.acquireAsync(request().withMaxWaiters(1))
                .thenCombine(elsewhere.releaseAsync(), (lease, released) -> lease));
        waited.release();
    }

    /** The second of three locks has too many waiters. */
    @Test
    void shouldRefuseACallForSeveralLocksAsAWhole() throws Exception {
        LeasingLockRegistry registry = registry(this.limited);
        LockRequest[] requests = {key("a"), key("b"), key("c")};
        Lease held = registry.acquire(key("b"));
        CompletableFuture<Lease> waiting = registry.acquireAsync(key("b"));
        long commands = backend().commands();

        assertThatExceptionOfType(LockQueueFullException.class)
                .isThrownBy(() -> registry.execute(List.of(requests), lease -> true))
                .satisfies(ex -> assertThat(ex.lockName()).isEqualTo("orders:b"));
        LockSequence leases = LockSequence.of(Stream.of(requests), this.limited);
        assertThatExceptionOfType(LockQueueFullException.class).isThrownBy(() -> leases.acquire(registry));
        get(leases.release());
        LockSequence later = LockSequence.of(Stream.of(requests), this.limited);
        assertThat(failureOf(later.acquireAsync(registry)))
                .isInstanceOfSatisfying(
                        LockQueueFullException.class,
                        ex -> assertThat(ex.lockName()).isEqualTo("orders:b"));
        get(later.release());

        assertThat(backend().commands()).isEqualTo(commands);
        held.release();
        get(waiting).release();
    }

    /** The registry of an application delegates, so each lock is requested by itself. */
    @Test
    void shouldReleaseTheLocksOfACallThatIsRefusedLater() throws Exception {
        LeasingLockRegistry registry = registry(this.limited);
        LockRegistry delegating = (LockRegistry) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {LockRegistry.class},
                (proxy, method, arguments) -> invoke(registry, method, arguments));
        Lease held = registry.acquire(key("b"));
        CompletableFuture<Lease> waiting = registry.acquireAsync(key("b"));
        LockSequence locks = LockSequence.of(Stream.of(key("a"), key("b")), this.limited);

        locks.acquire(delegating);
        assertThat(registry.getLock("orders:a").isLocked()).isTrue();
        assertThatExceptionOfType(LockQueueFullException.class).isThrownBy(() -> locks.acquire(delegating));
        get(locks.release());

        assertThat(registry.getLock("orders:a").isLocked()).isFalse();
        held.release();
        get(waiting).release();
    }

    @Test
    void shouldRejectANegativeLimit() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> request().withMaxWaiters(-1))
                .withMessageContainingAll("maxWaiters", "-1", "orders");
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException ex) {
            throw ex.getCause();
        }
    }

    private static LockRequest key(String key) {
        return LockRequest.of("orders", key);
    }
}
