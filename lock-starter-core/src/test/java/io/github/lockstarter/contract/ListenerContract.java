package io.github.lockstarter.contract;

import static io.github.lockstarter.fixture.Waiting.failureOf;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static io.github.lockstarter.fixture.Waiting.throughout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealth.Status;
import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockNotAcquiredEvent.Outcome;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.OnNotGranted;
import io.github.lockstarter.fixture.Actor;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A lock is renewed for as long as it is needed; listeners and the inventory show what happens to it, and harm nothing.
 */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ListenerContract extends RegistryFixture {

    private static final Duration CAP = TIMEOUT.multipliedBy(2);

    private final EventLog heard = new EventLog();

    @Test
    void shouldStopAtTheCapOfTheRequest() throws Exception {
        LeasingLockRegistry registry = registry(settings(TIMEOUT.multipliedBy(3)), this.heard);
        long start = System.nanoTime();
        Lease lease = registry.acquire(request().withMaxHold(CAP));

        assertThat(get(lease.lost())).isEqualTo(LossReason.MAX_HOLD);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(CAP, CAP.plusSeconds(12));
        assertThat(this.heard.all(LockRenewedEvent.class)).isNotEmpty();
        assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::ensureHeld);
        assertThat(lease.release()).isFalse();
        soon().untilAsserted(() -> assertThat(this.heard.all(LockLostEvent.class))
                .singleElement()
                .satisfies(event -> assertThat(event.heldFor()).isGreaterThan(CAP.minusMillis(50))));
    }

    @Test
    void shouldLetOthersInWhenTheOwnersThreadHasEnded() throws Exception {
        LeasingLockRegistry registry = registry(lasting(), this.heard);
        LeaseLock lock = registry.getLock(NAME);
        Actor owner = actor();
        owner.execute(lock::lock);
        LeaseLock there = registry(settings(LONG)).getLock(NAME);

        owner.die();

        assertThat(there.tryLock(Duration.ofSeconds(10))).isTrue();
        soon().untilAsserted(() -> assertThat(this.heard.all(LockLostEvent.class))
                .singleElement()
                .satisfies(event -> assertThat(event.reason()).isEqualTo(LossReason.OWNER_DIED)));
        there.unlock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void shouldHearOfOneLeaseInOrder() throws Exception {
        LeasingLockRegistry registry = registry(this.heard);
        long token = registry.execute(LockRequest.of("orders", "42:a"), lease -> {
            registry.getLock("orders:42:a").lock();
            soon().until(() -> this.heard.all(LockRenewedEvent.class).size() >= 3);
            registry.getLock("orders:42:a").unlock();
            return lease.fencingToken();
        });

        soon().until(() -> !this.heard.all(LockReleasedEvent.class).isEmpty());
        List<LockEvent> all = this.heard.all();
        assertThat(all.get(0)).isInstanceOf(LockAcquiredEvent.class);
        assertThat(all.subList(1, all.size() - 1)).hasOnlyElementsOfType(LockRenewedEvent.class);
        assertThat(all).allSatisfy(event -> {
            assertThat(event.name()).isEqualTo("orders");
            assertThat(event.key()).isEqualTo("42:a");
            assertThat(event.lockName()).isEqualTo("orders:42:a");
        });
        LockAcquiredEvent acquired = (LockAcquiredEvent) all.get(0);
        assertThat(acquired.fencingToken()).isEqualTo(token);
        assertThat(acquired.waited()).isBetween(Duration.ZERO, Duration.ofSeconds(20));
        assertThat(all.get(all.size() - 1)).isInstanceOfSatisfying(LockReleasedEvent.class, released -> {
            assertThat(released.outcome()).isEqualTo(LockReleasedEvent.Outcome.RELEASED);
            assertThat(released.fencingToken()).isEqualTo(token);
            assertThat(released.acquisitionId()).isEqualTo(acquired.acquisitionId());
            assertThat(released.heldFor()).isPositive();
            assertThat(released.cause()).isNull();
        });
    }

    @Test
    void shouldHearOfALossAndOfTheReleaseAfterIt() throws Exception {
        LeasingLockRegistry registry = registry(this.heard);
        Lease lease = registry.acquire(request());
        registry().getLock(NAME).forceUnlock();
        get(lease.lost());

        lease.close();
        lease.close();

        soon().until(() -> this.heard.count(LockReleasedEvent.class) > 0);
        throughout(Duration.ofMillis(100)).until(() -> this.heard.count(LockReleasedEvent.class) == 1);
        List<LockEvent> events = this.heard.all().stream()
                .filter(event -> !(event instanceof LockRenewedEvent))
                .toList();
        assertThat(events).hasSize(4);
        assertThat(events.get(0)).isInstanceOf(LockAcquiredEvent.class);
        assertThat(events.get(1))
                .isInstanceOfSatisfying(
                        LockRenewalFailedEvent.class,
                        failed -> assertThat(failed.lossReason()).isIn(LossReason.REVOKED, LossReason.DELETED));
        assertThat(events.get(2)).isInstanceOfSatisfying(LockLostEvent.class, lost -> {
            assertThat(lost.reason()).isIn(LossReason.REVOKED, LossReason.DELETED);
            assertThat(lost.fencingToken()).isEqualTo(lease.fencingToken());
        });
        assertThat(events.get(3))
                .isInstanceOfSatisfying(
                        LockReleasedEvent.class,
                        released -> assertThat(released.outcome()).isEqualTo(LockReleasedEvent.Outcome.LOST));
    }

    @Test
    void shouldHearOfThoseWhoGotNothing() throws Exception {
        LeasingLockRegistry registry = registry(this.heard);
        Lease taken = registry().acquire(request());
        LockRequest wait = request().withWaitTime(LONG);
        assertThat(registry.getLock(NAME).tryLock()).isFalse();
        Actor waiter = actor();
        CompletableFuture<Lease> interrupted = waiter.start(() -> registry.acquire(wait));
        awaitWaiting(registry, 1);
        waiter.interrupt();
        assertThat(failureOf(interrupted)).isInstanceOf(InterruptedException.class);
        registry.acquireAsync(wait).cancel(true);

        soon().until(() -> this.heard.all(LockNotAcquiredEvent.class).size() == 3);
        assertThat(this.heard.all(LockNotAcquiredEvent.class))
                .extracting(LockNotAcquiredEvent::outcome)
                .containsExactly(Outcome.SKIPPED, Outcome.INTERRUPTED, Outcome.INTERRUPTED);
        assertThat(this.heard.all(LockNotAcquiredEvent.class))
                .extracting(LockNotAcquiredEvent::cause)
                .containsOnlyNulls();
        assertThat(taken.release()).isTrue();
    }

    @Test
    void shouldDistinguishSkippedCallsFromTimeouts() throws Exception {
        LeasingLockRegistry registry = registry(this.heard);
        Lease taken = registry().acquire(request());
        LockRequest once = request().withWaitTime(Duration.ZERO);
        LockRequest brief = request().withWaitTime(Duration.ofMillis(10));
        LockRequest skipping = brief.withOnNotGranted(OnNotGranted.SKIP);

        assertThat(registry.getLock(NAME).tryLock()).isFalse();
        assertThat(registry.tryAcquire(once)).isEmpty();
        assertThat(failureOf(registry.acquireAsync(skipping))).isInstanceOf(LockNotGrantedException.class);
        assertThatThrownBy(() -> registry.execute(skipping, lease -> 1)).isInstanceOf(LockNotGrantedException.class);
        assertThat(outcomes(4)).as("callers that go on without the lock").containsOnly(Outcome.SKIPPED);

        assertThat(registry.getLock(NAME).tryLock(brief.waitTime())).isFalse();
        assertThat(registry.tryAcquire(brief)).isEmpty();
        assertThatThrownBy(() -> registry.execute(once, lease -> 1)).isInstanceOf(LockNotGrantedException.class);
        assertThatThrownBy(() -> registry.acquire(once)).isInstanceOf(LockNotGrantedException.class);
        assertThat(failureOf(registry.acquireAsync(once))).isInstanceOf(LockNotGrantedException.class);
        assertThat(outcomes(9).subList(4, 9))
                .as("callers that have waited in vain, or fail")
                .containsOnly(Outcome.TIMEOUT);
        assertThat(taken.release()).isTrue();
    }

    private List<Outcome> outcomes(int count) {
        soon().until(() -> this.heard.all(LockNotAcquiredEvent.class).size() == count);
        return this.heard.all(LockNotAcquiredEvent.class).stream()
                .map(LockNotAcquiredEvent::outcome)
                .toList();
    }

    @Test
    void shouldNotBeHarmedByAListenerThatThrows() {
        LockListener broken = new LockListener() {
            @Override
            public void acquired(LockAcquiredEvent event) {
                throw new IllegalStateException("broken");
            }

            @Override
            public void renewed(LockRenewedEvent event) {
                throw new AssertionError("broken");
            }

            @Override
            public void released(LockReleasedEvent event) {
                throw new StackOverflowError("broken");
            }
        };
        LeaseLock lock = registry(broken, this.heard).getLock(NAME);
        lock.lock();

        soon().until(() -> this.heard.all(LockRenewedEvent.class).size() >= 3);
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();

        soon().until(() -> !this.heard.all(LockReleasedEvent.class).isEmpty());
    }

    @Test
    void shouldNotBeHarmedByAListenerThatNeverReturns() throws Exception {
        CompletableFuture<Void> end = new CompletableFuture<>();
        LockListener stuck = new LockListener() {
            @Override
            public void acquired(LockAcquiredEvent event) {
                end.join();
            }
        };
        LeasingLockRegistry registry = registry(stuck);
        LeaseLock lock = registry.getLock(NAME);
        lock.lock();

        awaitRenewals(lock.currentLease());
        lock.unlock();
        try (Lease lease = registry.acquire(request())) {
            registry().getLock(NAME).forceUnlock();
            assertThat(get(lease.lost())).isIn(LossReason.REVOKED, LossReason.DELETED);
        }
        assertThat(CompletableFuture.runAsync(registry::stop)).succeedsWithin(Duration.ofSeconds(8));
        end.complete(null);
    }

    @Test
    void shouldShowWhoHoldsAndHowManyWaitWhileTheLockGoesFromHandToHand() throws Exception {
        LeasingLockRegistry here = registry();
        LeasingLockRegistry there = registry();
        Actor owner = actor();
        Actor next = actor();
        LeaseLock lock = here.getLock(NAME);
        owner.execute(lock::lock);
        long token = owner.ask(() -> lock.currentLease().fencingToken());
        CompletableFuture<Boolean> waiting = next.start(() -> lock.tryLock(LONG));
        awaitWaiting(here, 1);
        CompletableFuture<Lease> other =
                there.acquireAsync(request().withWaitTime(LONG)).toCompletableFuture();
        soon().until(() -> there.awaited(NAME).isPresent());
        soon().until(() -> here.held(NAME).orElseThrow().renewals() >= 2);

        Held held = here.held(NAME).orElseThrow();
        assertThat(held.fencingToken()).isEqualTo(token);
        assertThat(held.state()).isEqualTo(Lease.State.HELD);
        assertThat(held.heldFor()).isBetween(TIMEOUT.dividedBy(4), LONG);
        assertThat(held.remaining()).isBetween(Duration.ofMillis(1), LASTING);
        assertThat(held.renewed()).isTrue();
        assertThat(held.owner()).isEqualTo(owner.thread().getName());
        assertThat(here.held()).extracting(Held::name).containsExactly(NAME);
        assertThat(here.awaited()).extracting(Awaited::waiters).containsExactly(1);
        assertThat(there.held()).isEmpty();
        assertThat(there.awaited()).singleElement().satisfies(awaited -> {
            assertThat(awaited.name()).isEqualTo(NAME);
            assertThat(awaited.waiters()).isEqualTo(1);
            assertThat(awaited.longest()).isBetween(Duration.ofMillis(1), LONG);
        });
        Stored stored = there.stored(NAME).orElseThrow();
        assertThat(stored.fencingToken()).isEqualTo(token);
        assertThat(stored.remaining()).isBetween(Duration.ofMillis(1), LASTING);
        assertThat(get(there.storedAsync(NAME).toCompletableFuture())
                        .orElseThrow()
                        .fencingToken())
                .isEqualTo(token);

        owner.execute(lock::unlock);
        Lease taken = get(other);
        assertThat(there.held(NAME).orElseThrow().fencingToken()).isEqualTo(taken.fencingToken());
        assertThat(there.held(NAME).orElseThrow().owner()).isNull();
        assertThat(there.awaited()).isEmpty();
        assertThat(here.held(NAME)).isEmpty();
        assertThat(here.awaited(NAME).orElseThrow().waiters()).isEqualTo(1);

        taken.release();
        assertThat(get(waiting)).isTrue();
        assertThat(here.held(NAME).orElseThrow().owner())
                .isEqualTo(next.thread().getName());
        next.execute(lock::unlock);
        assertThat(here.held()).isEmpty();
        assertThat(here.awaited()).isEmpty();
        assertThat(here.stored(NAME)).isEmpty();
        assertThat(get(here.storedAsync(NAME).toCompletableFuture())).isEmpty();
    }

    @Test
    void shouldReportLossesAndAFixedLease() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG));
        Lease lease = registry.acquire(request().withLease(LONG));
        assertThat(registry.held(NAME).orElseThrow().renewed()).isFalse();
        assertThat(registry.health().lost()).isZero();
        Instant before = Instant.now().minusMillis(1);

        assertThat(registry.getLock(NAME).forceUnlock()).isTrue();
        assertThat(lease.release()).isFalse();

        LockHealth health = registry.health();
        assertThat(health.lost()).isEqualTo(1);
        assertThat(health.lastLoss()).isNotNull();
        assertThat(health.lastLoss().lock()).isEqualTo("orders");
        assertThat(health.lastLoss().reason()).isEqualTo(LossReason.REVOKED);
        assertThat(health.lastLoss().at()).isBetween(before, Instant.now().plusMillis(1));
        assertThat(registry.held()).isEmpty();
    }

    @Test
    void shouldBeUpWhileItRunsAndDownBeforeAndAfter() throws Exception {
        LeasingLockRegistry registry = unstarted(settings(TIMEOUT));

        assertThat(registry.health().status()).isEqualTo(Status.DOWN);
        assertThat(registry.health().problem()).contains("not started");
        assertThat(registry.held()).isEmpty();
        assertThat(registry.awaited(NAME)).isEmpty();
        assertThat(registry.isRunning()).as("asking starts nothing").isFalse();

        registry.start();
        soon().until(() -> registry.health().status() == Status.UP);
        Lease lease = registry.acquire(LockRequest.of("orders:43"));
        LockHealth health = registry.health();
        assertThat(health.problem()).isNull();
        assertThat(health.held()).isEqualTo(1);
        assertThat(health.lastAnswer()).isBetween(Duration.ZERO, LONG);
        assertThat(health.details()).containsEntry("held", 1).doesNotContainKey("problem");
        lease.release();

        registry.stop();
        assertThat(registry.health().status()).isEqualTo(Status.DOWN);
        assertThat(registry.health().problem()).contains("stopped");
    }

    @Test
    void shouldDeliverTheLossesOfTheStopAndNoEventAfterIt() throws Exception {
        EventLog events = new EventLog();
        LeasingLockRegistry registry = registry(withShutdownTimeout(Duration.ZERO), events);
        Lease lease = registry.acquire(LockRequest.of(NAME));

        registry.stop();

        assertThat(events.all(LockLostEvent.class))
                .extracting(LockLostEvent::reason)
                .containsExactly(LossReason.SHUTDOWN);
        assertThat(lease.release()).isFalse();
        assertThat(events.count(LockReleasedEvent.class)).isZero();
    }
}
