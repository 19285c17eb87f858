package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.fixture.Actor;
import io.github.lockstarter.registry.LeasingLockRegistry;
import io.github.lockstarter.registry.LockSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A body under one or several locks: its result or its exception, its losses, and all locks are free again. */
abstract class ExecuteContract extends RegistryFixture {

    private static final LockRequest INTERRUPTED =
            LockRequest.of(NAME).withOnLost(OnLost.INTERRUPT).withLease(Duration.ofMillis(200));

    @Test
    void shouldReturnWhatTheBodyReturns() throws Exception {
        LeasingLockRegistry registry = registry();
        LeaseLock there = registry().getLock(NAME);

        String result = registry.execute(request(), lease -> {
            assertThat(lease.isHeld()).isTrue();
            assertThat(registry.getLock(NAME).isHeldByCurrentThread()).isTrue();
            assertThat(registry.getLock(NAME).currentLease().fencingToken()).isEqualTo(lease.fencingToken());
            assertThat(there.tryLock()).isFalse();
            return "done";
        });

        assertThat(result).isEqualTo("done");
        assertThat(registry.<Object, RuntimeException>execute(request(), lease -> null))
                .isNull();
        assertThat(registry.getLock(NAME).getHoldCount()).isZero();
        assertThat(there.isLocked()).isFalse();
    }

    @Test
    void shouldThrowWhatTheBodyThrows() {
        LeasingLockRegistry registry = registry();

        for (Throwable failure : List.of(
                new IOException("checked"),
                new IllegalArgumentException("unchecked"),
                new StackOverflowError("error"),
                new LockNotGrantedException("of another lock", "other", Duration.ZERO, Duration.ZERO),
                new LockInterruptedException("of another lock", new InterruptedException()),
                new InterruptedException("of the body"))) {
            assertThat(catchThrowable(() -> registry.execute(request(), lease -> sneak(failure))))
                    .isSameAs(failure)
                    .hasNoSuppressedExceptions();
            assertThat(registry.getLock(NAME).isLocked()).isFalse();
        }
        assertThat(registry.getLock(NAME).getHoldCount()).isZero();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <R, E extends Throwable> R sneak(Throwable failure) throws E {
        throw (E) failure;
    }

    @Test
    void shouldNotRunTheBodyWithoutTheLock() throws Exception {
        LeasingLockRegistry here = registry();
        LeasingLockRegistry there = registry();
        AtomicBoolean ran = new AtomicBoolean();
        here.execute(request(), lease -> {
            for (Duration wait : List.of(Duration.ZERO, Duration.ofMillis(200))) {
                assertThatExceptionOfType(LockNotGrantedException.class)
                        .isThrownBy(() -> there.execute(request().withWaitTime(wait), other -> {
                            ran.set(true);
                            return true;
                        }))
                        .withMessageContaining(NAME);
            }
            return true;
        });

        assertThat(ran).isFalse();
    }

    /** Takes the lock away and waits until its owner is notified. */
    private void lose(Lease lease) throws Exception {
        registry().getLock(NAME).forceUnlock();
        assertThat(get(lease.lost())).isIn(LossReason.REVOKED, LossReason.DELETED);
    }

    @Test
    void shouldThrowAfterTheBodyHasReturned() {
        LeasingLockRegistry registry = registry();
        boolean[] ended = new boolean[1];

        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> registry.execute(request(), lease -> {
                    lose(lease);
                    ended[0] = true;
                    return "result";
                }))
                .satisfies(ex -> {
                    assertThat(ex.reason()).isIn(LossReason.REVOKED, LossReason.DELETED);
                    assertThat(ex.lockName()).isEqualTo(NAME);
                    assertThat(ex.fencingToken()).isPositive();
                });

        assertThat(ended[0]).isTrue();
        assertThat(registry.getLock(NAME).getHoldCount()).isZero();
    }

    @Test
    void shouldNotHideTheExceptionOfTheBody() {
        LeasingLockRegistry registry = registry();
        IOException failure = new IOException("of the body");

        Throwable thrown = catchThrowable(() -> registry.execute(request(), lease -> {
            lose(lease);
            throw failure;
        }));

        assertThat(thrown).isSameAs(failure);
        assertThat(thrown.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
    }

    @Test
    void shouldIgnoreTheLossIfAskedOrConfigured() throws Exception {
        LeasingLockRegistry ignoring =
                registry(LockSettings.of(LONG, OnLost.IGNORE, LASTING, RENEWAL, null, null, null, LONG));

        assertThat(ignoring.<String, Exception>execute(request(), lease -> {
                    lose(lease);
                    return "result";
                }))
                .isEqualTo("result");
        assertThatExceptionOfType(LockLostException.class)
                .isThrownBy(() -> ignoring.execute(request().withOnLost(OnLost.THROW), lease -> {
                    lose(lease);
                    return "result";
                }));
        IOException failure = new IOException("of the body");
        assertThat(catchThrowable(() -> registry().execute(request().withOnLost(OnLost.IGNORE), lease -> {
                    lose(lease);
                    throw failure;
                })))
                .isSameAs(failure)
                .hasNoSuppressedExceptions();
    }

    @Test
    void shouldInterruptTheBodyOnce() throws Exception {
        LeasingLockRegistry registry = registry();
        Actor owner = actor();

        CompletableFuture<Boolean> again = owner.start(() -> {
            boolean[] flag = new boolean[1];
            Throwable loss = catchThrowable(() -> registry.execute(INTERRUPTED, lease -> {
                assertThatExceptionOfType(InterruptedException.class)
                        .isThrownBy(() -> new CountDownLatch(1).await(20, TimeUnit.SECONDS));
                assertThat(lease.isHeld()).isFalse();
                assertThat(get(lease.lost())).isEqualTo(LossReason.EXPIRED);
                flag[0] = flagWithin(Duration.ofMillis(300));
                return true;
            }));
            assertThat(loss).isInstanceOf(LockLostException.class);
            return flag[0] || Thread.interrupted();
        });

        assertThat(get(again)).isFalse();
    }

    private static boolean flagWithin(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0 && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
        return Thread.currentThread().isInterrupted();
    }

    /** Bodies that end about when their lease does: sometimes it is lost in time, but the flag is clean afterwards. */
    @Test
    void shouldNeverInterruptAfterTheBodyHasEnded() throws Exception {
        LeasingLockRegistry registry = registry();
        Actor owner = actor();
        int lost = 0;
        int kept = 0;
        // The next rounds are those of a machine on which all bodies have ended on the same side.
        for (int round = 0; round < 60 || ((lost == 0 || kept == 0) && round < 2000); round++) {
            LockRequest request = INTERRUPTED.withLease(Duration.ofMillis(20));
            Throwable thrown = owner.ask(() -> {
                Throwable end = catchThrowable(() -> registry.execute(request, lease -> {
                    // asking for its state would be noticing the loss: look at the clock instead
                    long left = lease.remaining().toNanos() + jitter();
                    flagWithin(Duration.ofNanos(Math.max(0, left)));
                    return true;
                }));
                assertThat(flagWithin(Duration.ofMillis(1))).as("interrupted").isFalse();
                return end;
            });
            if (thrown == null) {
                kept++;
            } else {
                assertThat(thrown).isInstanceOf(LockLostException.class);
                lost++;
            }
        }

        assertThat(lost).isPositive();
        assertThat(kept).isPositive();
    }

    /** More often before the end than after it: on a busy machine the body goes on later than it wants to. */
    private static long jitter() {
        return ThreadLocalRandom.current().nextLong(-6_000_000, 1_000_000);
    }

    private static List<LockRequest> accounts(String... keys) {
        return Stream.of(keys).map(key -> LockRequest.of("account", key)).toList();
    }

    private static boolean isHeldHere(LockRegistry registry, String key) {
        return registry.getLock("account", key).isHeldByCurrentThread();
    }

    @Test
    void shouldAcquireEachLockOnceInTheOrderOfTheNames() throws Exception {
        List<String> acquired = new CopyOnWriteArrayList<>();
        LeasingLockRegistry registry = registry(new LockListener() {
            @Override
            public void acquired(LockAcquiredEvent event) {
                acquired.add(event.lockName());
            }
        });

        String innermost = registry.execute(accounts("c", "a", "b", "a"), lease -> {
            for (String key : List.of("a", "b", "c")) {
                assertThat(isHeldHere(registry, key)).isTrue();
                assertThat(registry.getLock("account", key).getHoldCount()).isEqualTo(1);
            }
            return lease.name();
        });

        assertThat(innermost).isEqualTo("account:c");
        assertThat(registry.getLock("account", "a").isLocked()).isFalse();
        assertThat(registry.getLock("account", "c").isLocked()).isFalse();
        registry.stop();
        assertThat(acquired).containsExactly("account:a", "account:b", "account:c");
    }

    @Test
    void shouldHoldNoneIfOneIsNotGranted() throws Exception {
        LeasingLockRegistry registry = registry();
        LeasingLockRegistry there = registry();
        List<LockRequest> requests = accounts("c", "b", "a").stream()
                .map(request -> request.withWaitTime(Duration.ZERO).withMinHold(Duration.ofMinutes(1)))
                .toList();

        there.executeWithoutResult(LockRequest.of("account", "b"), taken -> {
            assertThatThrownBy(() -> registry.executeWithoutResult(requests, lease -> {
                        throw new AssertionError("not granted");
                    }))
                    .isInstanceOfSatisfying(
                            LockNotGrantedException.class,
                            ex -> assertThat(ex.lockName()).isEqualTo("account:b"));
            assertThat(registry.getLock("account", "a").isLocked())
                    .as("also not for its minimum hold")
                    .isFalse();
            assertThat(registry.getLock("account", "c").isLocked()).isFalse();
        });
    }

    @Test
    void shouldMixModesAndPermits() {
        LeasingLockRegistry registry = registry();
        Set<LockRequest> requests = Set.of(
                LockRequest.of("account", "a").withMode(LockMode.READ),
                LockRequest.of("account", "a"),
                LockRequest.of("slots", "a").withPermits(1, 2));

        registry.executeWithoutResult(requests, lease -> {
            assertThat(isHeldHere(registry, "a")).isTrue();
            assertThat(registry.getSemaphore("slots", "a", 2).availablePermits())
                    .isEqualTo(1);
        });
        assertThat(registry.getSemaphore("slots", "a", 2).availablePermits()).isEqualTo(2);
    }

    @Test
    void shouldRejectACallWithoutRequests() {
        LeasingLockRegistry registry = registry();
        Collection<LockRequest> none = List.of();

        assertThatThrownBy(() -> registry.executeWithoutResult(none, lease -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Calls of several instances with overlapping locks never wait for each other. */
    @Test
    @Timeout(120)
    void shouldServeEachCallWithOverlappingLocks() throws Exception {
        List<LockRequest> requests = Stream.of("a", "b", "c", "d")
                .map(key -> LockRequest.of(NAME, key).withWaitTime(LockRequest.FOREVER))
                .toList();
        List<AtomicInteger> inside =
                requests.stream().map(request -> new AtomicInteger()).toList();
        List<CompletableFuture<Integer>> callers = new ArrayList<>();
        for (LeasingLockRegistry registry : List.of(registry(), registry())) {
            for (int caller = 0; caller < 3; caller++) {
                Random random = new Random(callers.size());
                callers.add(inThread(() -> {
                    int served = 0;
                    while (served < 40) {
                        List<Integer> chosen = new ArrayList<>(List.of(0, 1, 2, 3));
                        Collections.shuffle(chosen, random);
                        List<Integer> some = chosen.subList(0, 2 + random.nextInt(2));
                        served += registry.execute(
                                some.stream().map(requests::get).toList(), lease -> {
                                    some.forEach(
                                            each -> assertThat(inside.get(each).incrementAndGet())
                                                    .as("owners of lock " + each)
                                                    .isEqualTo(1));
                                    some.forEach(each -> inside.get(each).decrementAndGet());
                                    return 1;
                                });
                    }
                    return served;
                }));
            }
        }

        for (CompletableFuture<Integer> caller : callers) {
            assertThat(caller)
                    .as("calls that were served")
                    .succeedsWithin(Duration.ofSeconds(100))
                    .isEqualTo(40);
        }
    }
}
