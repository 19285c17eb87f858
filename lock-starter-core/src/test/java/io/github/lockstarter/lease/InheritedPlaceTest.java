package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.lease.support.LeaseClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The place in the line is the JVM's: who gives up leaves it to the next one, and the last one leaves the line. */
class InheritedPlaceTest extends PuppetRegistry {

    private static final String HOLDER = "holder";

    private LeasingLockRegistry registry;

    @BeforeEach
    void holdElsewhere() {
        this.registry = registry(settings(LONG, Duration.ZERO), LeaseClock.SYSTEM);
        store().acquire(NAME, HOLDER, LONG.toMillis(), false);
    }

    private CompletableFuture<Lease> waitFor(Duration time) {
        return this.registry.acquireAsync(request().withWaitTime(time));
    }

    private List<String> asked() {
        return store().acquisitionIds().stream()
                .filter(id -> !id.equals(HOLDER))
                .toList();
    }

    private List<String> given(String id) {
        return store().received("release").stream()
                .map(PuppetStore.Received::acquisitionId)
                .filter(id::equals)
                .toList();
    }

    /** Whoever is the first now asks, and always under the same id. */
    private void shouldAskOn() {
        int before = asked().size();
        eventually().until(() -> asked().size() >= before + 3);
        assertThat(asked()).containsOnly(asked().get(0));
        assertThat(store().releases()).isZero();
    }

    @Test
    void shouldBeInheritedWhenTheFirstOneTimesOutIsInterruptedOrCancelled() throws Exception {
        CompletableFuture<Lease> timesOut = waitFor(Duration.ofMillis(300));
        CompletableFuture<Throwable> interrupted = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                this.registry.acquire(request().withWaitTime(LONG));
            } catch (Throwable ex) {
                interrupted.complete(ex);
            }
        });
        thread.start();
        eventually().until(() -> this.registry.waiting() == 2 && thread.getState() == Thread.State.TIMED_WAITING);
        CompletableFuture<Lease> cancelled = waitFor(LONG);
        CompletableFuture<Lease> last = waitFor(LONG);

        eventually().until(timesOut::isDone);
        shouldAskOn();
        thread.interrupt();
        assertThat(interrupted.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        shouldAskOn();
        cancelled.cancel(false);
        shouldAskOn();
        store().release(NAME, HOLDER, 0, null);

        assertThat(last.get(20, TimeUnit.SECONDS).release()).isTrue();
        assertThat(given(asked().get(0))).hasSize(1);
        assertThat(store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldBeLeftOnceByTheLastOne() throws Exception {
        CompletableFuture<Lease> first = waitFor(LONG);
        CompletableFuture<Lease> second = waitFor(LONG);
        shouldAskOn();

        first.cancel(false);
        shouldAskOn();
        second.cancel(false);

        eventually().until(() -> store().releases() == 1);
        throughout(Duration.ofMillis(300)).until(() -> store().releases() == 1);
        assertThat(given(asked().get(0))).hasSize(1);
        store().release(NAME, HOLDER, 0, null);
        assertThat(store().isLocked(NAME)).isFalse();
    }

    @Test
    void shouldNotBeTakenAlongByWhoWaitsBehind() {
        CompletableFuture<Lease> first = waitFor(LONG);
        CompletableFuture<Lease> second = waitFor(LONG);
        shouldAskOn();

        second.cancel(false);

        shouldAskOn();
        assertThat(first).isNotDone();
        throughout(Duration.ofMillis(200)).until(() -> store().releases() == 0);
    }

    @Test
    void shouldStayWithTheFirstWhenTheTimeOfAThreadBehindItIsUp() throws Exception {
        CompletableFuture<Lease> first = waitFor(LONG);
        CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(() -> {
            try {
                return this.registry.getLock(NAME).tryLock(Duration.ofMillis(200));
            } catch (InterruptedException ex) {
                throw new IllegalStateException(ex);
            }
        });

        assertThat(second.get(20, TimeUnit.SECONDS)).isFalse();

        shouldAskOn();
        assertThat(first).isNotDone();
    }

    @Test
    void shouldNotBeLeftIfItWasNeverInLine() throws Exception {
        assertThat(this.registry.tryAcquire(request().withWaitTime(Duration.ZERO)))
                .isEmpty();

        throughout(Duration.ofMillis(200)).until(() -> store().releases() == 0);
    }

    /** Neither must think that the other one leaves the line, and not both must. */
    @Test
    void shouldBeLeftOnceWhenTwoGiveUpAtOnce() throws Exception {
        for (int round = 0; round < 300; round++) {
            int before = asked().size();
            List<CompletableFuture<Lease>> waiting = List.of(waitFor(LONG), waitFor(LONG));
            eventually().until(() -> asked().size() > before);
            CyclicBarrier barrier = new CyclicBarrier(2);
            List<CompletableFuture<Void>> cancels = Stream.of(0, 1)
                    .map(i -> CompletableFuture.runAsync(() -> {
                        try {
                            barrier.await(20, TimeUnit.SECONDS);
                        } catch (Exception ex) {
                            throw new IllegalStateException(ex);
                        }
                        waiting.get(i).cancel(false);
                    }))
                    .toList();
            for (CompletableFuture<Void> cancel : cancels) {
                cancel.get(20, TimeUnit.SECONDS);
            }
            String id = asked().get(before);
            eventually().until(() -> this.registry.waiting() == 0 && !given(id).isEmpty());
        }

        throughout(Duration.ofMillis(200)).until(() -> store().releases() == 300);
        assertThat(asked().stream().distinct())
                .hasSize(300)
                .allSatisfy(id -> assertThat(given(id)).hasSize(1));
        store().release(NAME, HOLDER, 0, null);
        assertThat(store().isLocked(NAME)).isFalse();
    }
}
