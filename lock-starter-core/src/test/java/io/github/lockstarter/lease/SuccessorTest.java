package io.github.lockstarter.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.EventLog;
import io.github.lockstarter.lease.settings.HandOffSettings;
import io.github.lockstarter.store.ReleaseReply;
import io.github.lockstarter.store.Successor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A release that keeps the lock for the next waiter of this JVM, for nobody stands in line. */
class SuccessorTest extends PuppetRegistry {

    private final HandClock clock = new HandClock();

    private final EventLog heard = new EventLog();

    private final Gate gate = new Gate();

    @AfterEach
    void open() {
        this.gate.open();
    }

    private LeasingLockRegistry registry(HandOffSettings handOff) {
        return registry(seldom(settings(LONG, Duration.ZERO)).withHandOff(handOff), this.clock, this.heard);
    }

    private static Lease got(CompletableFuture<Lease> lease) throws Exception {
        return lease.get(20, TimeUnit.SECONDS);
    }

    private Successor successor() {
        return store().received("release").get(0).successor();
    }

    /** Releases on another thread, whose answer comes when the gate is opened. */
    private CompletableFuture<Boolean> releaseToTheGate(Lease lease) throws Exception {
        store().onRelease(real -> {
            ReleaseReply reply = real.make();
            this.gate.pass();
            return reply;
        });
        CompletableFuture<Boolean> release = CompletableFuture.supplyAsync(lease::release);
        this.gate.awaitSomebody();
        store().onRelease(PuppetStore.Call::make);
        return release;
    }

    @Test
    void shouldGrantWithTheReleaseAndNotAskAgain() throws Exception {
        LeasingLockRegistry registry = registry(NEVER);
        Lease lease = registry.acquire(request());
        CompletableFuture<Lease> waiting = registry.acquireAsync(request());
        store().onRelease(real -> {
            this.clock.pass(Duration.ofSeconds(3));
            return real.make();
        });

        assertThat(lease.release()).isTrue();
        Lease next = got(waiting);

        assertThat(store().acquisitionIds())
                .hasSize(1)
                .doesNotContain(successor().acquisitionId());
        assertThat(successor().leaseMillis()).isEqualTo(LONG.toMillis());
        assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
        // counted from the sending of the release
        assertThat(next.remaining()).isEqualTo(Duration.ofSeconds(54 - 3));
        assertThat(registry.active()).isEqualTo(1);
        store().onRelease(PuppetStore.Call::make);
        assertThat(next.release()).isTrue();
        assertThat(store().received("release").get(1).acquisitionId())
                .isEqualTo(successor().acquisitionId());
        assertThat(store().isLocked(NAME)).isFalse();
        assertThat(registry.active()).isZero();
    }

    @Test
    void shouldTellOfTheReleaseBeforeTheGrant() throws Exception {
        LeasingLockRegistry registry = registry(NEVER);
        Lease lease = registry.acquire(request());
        CompletableFuture<Lease> waiting = registry.acquireAsync(request());

        lease.close();
        Lease next = got(waiting);

        eventually().until(() -> this.heard.all().size() == 4);
        assertThat(this.heard.all())
                .hasExactlyElementsOfTypes(
                        LockAcquiredEvent.class,
                        LockReleasedEvent.class,
                        LockHandedOverEvent.class,
                        LockAcquiredEvent.class);
        assertThat(this.heard.all().subList(2, 4))
                .extracting("acquisitionId")
                .containsOnly(successor().acquisitionId());
        assertThat(this.heard.all(LockHandedOverEvent.class)).singleElement().satisfies(event -> {
            assertThat(event.kind()).isEqualTo(LockHandedOverEvent.Kind.LOCAL);
            assertThat(event.fencingToken()).isEqualTo(next.fencingToken());
        });
    }

    @Test
    void shouldTellTheStoreTheLastTokenWhenTheBudgetIsUsedUp() throws Exception {
        LeasingLockRegistry registry = registry(new HandOffSettings(Duration.ofSeconds(10), 2));
        Lease first = registry.acquire(request());
        CompletableFuture<Lease> second = registry.acquireAsync(request());
        CompletableFuture<Lease> third = registry.acquireAsync(request());
        CompletableFuture<Lease> fourth = registry.acquireAsync(request());
        this.clock.pass(Duration.ofMillis(1));
        first.close();
        got(second).close();
        assertThat(store().releases()).isZero();

        got(third).close();

        assertThat(store().received("release")).singleElement().satisfies(call -> {
            assertThat(call.acquisitionId()).isEqualTo(store().acquisitionIds().get(0));
            assertThat(call.lastToken()).isEqualTo(first.fencingToken() + 2);
        });
        assertThat(got(fourth).fencingToken()).isGreaterThan(first.fencingToken() + 2);
    }

    @Test
    void shouldGoToWhoWaitsWhenTheAnswerComes() throws Exception {
        LeasingLockRegistry registry = registry(NEVER);
        Lease lease = registry.acquire(request());
        CompletableFuture<Lease> impatient = registry.acquireAsync(request());
        CompletableFuture<Lease> patient = registry.acquireAsync(request());
        CompletableFuture<Boolean> release = releaseToTheGate(lease);

        impatient.cancel(false);
        eventually().until(() -> registry.waiting() == 1);
        this.gate.open();

        assertThat(release.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(got(patient).isHeld()).isTrue();
        assertThat(store().received()).hasSize(2);
    }

    @Test
    void shouldGoBackWhenAllHaveGivenUpMeanwhile() throws Exception {
        LeasingLockRegistry registry = registry(NEVER);
        Lease lease = registry.acquire(request());
        CompletableFuture<Lease> impatient = registry.acquireAsync(request());
        CompletableFuture<Boolean> release = releaseToTheGate(lease);

        impatient.cancel(false);
        eventually().until(() -> registry.waiting() == 0);
        assertThat(store().isLocked(NAME)).isTrue();
        this.gate.open();

        assertThat(release.get(20, TimeUnit.SECONDS)).isTrue();
        eventually().until(() -> !store().isLocked(NAME));
        assertThat(store().received("release"))
                .hasSize(2)
                .last()
                .satisfies(call ->
                        assertThat(call.acquisitionId()).isEqualTo(successor().acquisitionId()));
        assertThat(registry.active()).isZero();
        assertThat(registry.acquire(request().withWaitTime(Duration.ZERO)).release())
                .isTrue();
    }

    @Test
    void shouldBeAskedForAgainByWhoWantsAnotherLease() throws Exception {
        LeasingLockRegistry registry = registry(NEVER);
        LockRequest shorter = request().withLease(Duration.ofSeconds(20));
        Lease lease = registry.acquire(request());
        CompletableFuture<Lease> impatient = registry.acquireAsync(request());
        CompletableFuture<Lease> patient = registry.acquireAsync(shorter);
        CompletableFuture<Boolean> release = releaseToTheGate(lease);

        impatient.cancel(false);
        eventually().until(() -> registry.waiting() == 1);
        this.gate.open();

        assertThat(release.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(got(patient).remaining()).isEqualTo(Duration.ofSeconds(18));
        assertThat(store().acquisitionIds())
                .hasSize(2)
                .last()
                .isEqualTo(successor().acquisitionId());
        assertThat(store().releases()).isEqualTo(1);
        assertThat(got(patient).release()).isTrue();
        assertThat(store().isLocked(NAME)).isFalse();
    }

    /** The answer took longer than the lease that it brings. */
    @Test
    void shouldNotBeBelievedWhenItComesTooLate() throws Exception {
        LeasingLockRegistry registry = registry(NEVER);
        LockRequest shortest = request().withLease(Duration.ofSeconds(1));
        Lease lease = registry.acquire(request());
        CompletableFuture<Lease> waiting = registry.acquireAsync(shortest);
        store().onRelease(real -> {
            ReleaseReply reply = real.make();
            this.clock.pass(Duration.ofMillis(900));
            return reply;
        });

        lease.close();

        assertThat(got(waiting).remaining()).isEqualTo(Duration.ofMillis(900));
        assertThat(store().acquisitionIds())
                .hasSize(2)
                .last()
                .isEqualTo(successor().acquisitionId());
    }

    @Test
    void shouldNameNobodyWhenNobodyWaits() throws Exception {
        LeasingLockRegistry registry = registry(NEVER);
        CompletableFuture<Lease> held = registry.acquireAsync(request());
        CompletableFuture<Lease> gone = registry.acquireAsync(request());
        Lease lease = got(held);
        gone.cancel(false);
        eventually().until(() -> registry.waiting() == 0);

        lease.close();

        assertThat(successor()).isNull();
        assertThat(store().isLocked(NAME)).isFalse();
    }
}
