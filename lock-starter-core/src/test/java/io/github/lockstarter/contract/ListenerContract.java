package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.throughout;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewalFailedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.fixture.EventLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Listeners hear everything in its order, and whatever they do is no danger to a lock. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ListenerContract extends RegistryFixture {

    private final EventLog heard = new EventLog();

    ListenerContract(LockBackend backend) {
        super(backend);
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
        Outcomes.get(lease.lost());

        lease.close();
        lease.close();

        List<LockEvent> tale = tale(4);
        assertThat(tale.get(0)).isInstanceOf(LockAcquiredEvent.class);
        assertThat(tale.get(1))
                .isInstanceOfSatisfying(
                        LockRenewalFailedEvent.class,
                        failed -> assertThat(failed.lossReason()).isEqualTo(LossReason.DELETED));
        assertThat(tale.get(2)).isInstanceOfSatisfying(LockLostEvent.class, lost -> {
            assertThat(lost.reason()).isEqualTo(LossReason.DELETED);
            assertThat(lost.fencingToken()).isEqualTo(lease.fencingToken());
        });
        assertThat(tale.get(3))
                .isInstanceOfSatisfying(
                        LockReleasedEvent.class,
                        released -> assertThat(released.outcome()).isEqualTo(LockReleasedEvent.Outcome.LOST));
    }

    /** What was heard, without successful renewals: that much, and nothing more follows. */
    private List<LockEvent> tale(int events) {
        soon().untilAsserted(() -> assertThat(withoutRenewals()).hasSizeGreaterThanOrEqualTo(events));
        throughout(Duration.ofMillis(100))
                .untilAsserted(() -> assertThat(withoutRenewals()).hasSize(events));
        return withoutRenewals();
    }

    private List<LockEvent> withoutRenewals() {
        return this.heard.all().stream()
                .filter(event -> !(event instanceof LockRenewedEvent))
                .toList();
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
        assertThat(Outcomes.failureOf(interrupted)).isInstanceOf(InterruptedException.class);
        registry.acquireAsync(wait).cancel(true);

        soon().until(() -> this.heard.all(LockNotAcquiredEvent.class).size() == 3);
        assertThat(this.heard.all(LockNotAcquiredEvent.class))
                .extracting(LockNotAcquiredEvent::outcome)
                .containsExactly(
                        LockNotAcquiredEvent.Outcome.TIMEOUT,
                        LockNotAcquiredEvent.Outcome.INTERRUPTED,
                        LockNotAcquiredEvent.Outcome.INTERRUPTED);
        assertThat(this.heard.all(LockNotAcquiredEvent.class))
                .extracting(LockNotAcquiredEvent::cause)
                .containsOnlyNulls();
        assertThat(taken.release()).isTrue();
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
        CountDownLatch end = new CountDownLatch(1);
        LockListener stuck = new LockListener() {
            @Override
            public void acquired(LockAcquiredEvent event) {
                try {
                    end.await();
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        LeasingLockRegistry registry = registry(stuck);
        LeaseLock lock = registry.getLock(NAME);
        lock.lock();

        awaitRenewals(lock.currentLease());
        lock.unlock();
        try (Lease lease = registry.acquire(request())) {
            registry().getLock(NAME).forceUnlock();
            assertThat(Outcomes.get(lease.lost())).isEqualTo(LossReason.DELETED);
        }
        assertThat(Outcomes.time(registry::stop)).isLessThan(Duration.ofSeconds(8));
        end.countDown();
    }
}
