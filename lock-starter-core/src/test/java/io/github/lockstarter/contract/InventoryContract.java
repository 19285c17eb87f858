package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealth.Status;
import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What an instance says of its locks. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class InventoryContract extends RegistryFixture {

    InventoryContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldShowWhoHoldsAndHowManyWaitWhileTheLockGoesFromHandToHand() throws Exception {
        LeasingLockRegistry here = registry();
        LeasingLockRegistry there = registry();
        Actor owner = actor();
        Actor next = actor();
        LeaseLock lock = here.getLock(NAME);
        owner.tell(lock::lock);
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

        owner.tell(lock::unlock);
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
        next.tell(lock::unlock);
        assertThat(here.held()).isEmpty();
        assertThat(here.awaited()).isEmpty();
        assertThat(here.stored(NAME)).isEmpty();
    }

    @Test
    void shouldTellOfLossesAndOfAFixedLease() throws Exception {
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
        assertThat(health.lastLoss().reason()).isEqualTo(LossReason.DELETED);
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
}
