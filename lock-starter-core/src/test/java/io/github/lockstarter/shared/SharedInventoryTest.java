package io.github.lockstarter.shared;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockAcquiredEvent;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockInventory.StoredGrant;
import io.github.lockstarter.LockInventory.StoredWaiter;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRenewedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What an instance shows of locks that are shared, and what its listeners receive of them. */
@RedisTest
class SharedInventoryTest {

    private static final LockRequest LOCK = LockRequest.of("orders:42");

    private static final LockRequest READING = LOCK.withMode(LockMode.READ);

    @AutoClose
    private final Instances instances = new Instances();

    private final RedisServer server;

    SharedInventoryTest(RedisServer server) {
        this.server = server;
    }

    /** Its description can be read on return. */
    private Instance instance(String application) throws Exception {
        Instance instance = this.instances.at(
                this.server,
                setup -> setup.calm().withDescription().withoutHandOff().application(application));
        Instance reader = this.instances.at(this.server, setup -> setup.calm().withDescription());
        try (Lease lease = instance.acquire(application)) {
            lease.ensureHeld();
            soon().until(() -> application.equals(Objects.requireNonNull(
                            reader.registry().stored(application).orElseThrow().holder())
                    .application()));
        }
        return instance;
    }

    @Test
    void shouldShowAllReadersAndWhoWaits() throws Exception {
        Instance billing = instance("billing");
        Instance shipping = instance("shipping");
        Lease first = billing.registry().acquire(READING);
        Lease second = shipping.registry().acquire(READING);
        CompletableFuture<Lease> writer = shipping.registry().acquireAsync(LOCK);
        CompletableFuture<Lease> reader = shipping.registry().acquireAsync(READING);
        CompletableFuture<Lease> behind = shipping.registry().acquireAsync(READING);
        // An instance has one place in the line, which is that of its first waiter.
        soon().until(() -> waiting(billing) == 1);

        Stored stored = billing.registry().stored("orders:42").orElseThrow();

        assertThat(stored.mode()).isEqualTo(LockMode.READ);
        assertThat(stored.fencingToken()).isEqualTo(second.fencingToken());
        assertThat(stored.holder().application()).isEqualTo("billing");
        assertThat(stored.holders())
                .extracting(holder -> holder.holder().application(), StoredGrant::fencingToken, StoredGrant::permits)
                .containsExactly(
                        tuple("billing", first.fencingToken(), 0), tuple("shipping", second.fencingToken(), 0));
        assertThat(stored.line())
                .extracting(entry -> entry.waiter().application(), StoredWaiter::mode)
                .containsExactly(tuple("shipping", LockMode.WRITE));
        assertThat(stored.holders()).allSatisfy(holder -> {
            assertThat(holder.remaining()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(12));
            assertThat(holder.since()).isEqualTo(Instant.EPOCH.plus(holder.fencingToken(), ChronoUnit.MICROS));
        });
        assertThat(shipping.registry().held())
                .extracting(Held::mode, Held::permits, Held::fencingToken)
                .containsExactly(tuple(LockMode.READ, 0, second.fencingToken()));
        assertThat(shipping.registry().awaited())
                .extracting(Awaited::name, Awaited::mode, Awaited::waiters)
                .containsExactlyInAnyOrder(tuple("orders:42", LockMode.WRITE, 1), tuple("orders:42", LockMode.READ, 2));
        assertThat(shipping.registry().awaited("orders:42").orElseThrow().waiters())
                .isEqualTo(3);
        assertThat(shipping.registry().held("orders:42").orElseThrow().fencingToken())
                .isEqualTo(second.fencingToken());
        assertThat(shipping.registry().health().held()).isEqualTo(1);

        first.release();
        second.release();
        Lease written = get(writer);
        assertThat(billing.registry().stored("orders:42").orElseThrow())
                .extracting(Stored::mode, Stored::holders)
                .containsExactly(LockMode.WRITE, List.of());
        written.release();
        get(reader).release();
        get(behind).release();
        assertThat(shipping.registry().awaited()).isEmpty();
        assertThat(shipping.registry().held()).isEmpty();
    }

    @Test
    void shouldShowThePermitsOfEachHolder() throws Exception {
        Instance billing = instance("billing");
        Instance shipping = instance("shipping");
        Lease two = billing.registry().acquire(LOCK.withPermits(2, 5));
        Lease three = shipping.registry().acquire(LOCK.withPermits(3, 5));
        CompletableFuture<Lease> all = shipping.registry().acquireAsync(LOCK.withPermits(5, 5));
        soon().until(() -> waiting(billing) == 1);

        Stored stored = shipping.registry().stored("orders:42").orElseThrow();
        assertThat(stored.mode()).isEqualTo(LockMode.PERMIT);
        assertThat(stored.holders())
                .extracting(holder -> holder.holder().application(), StoredGrant::permits)
                .containsExactly(tuple("billing", 2), tuple("shipping", 3));
        assertThat(shipping.registry().held("orders:42").orElseThrow().permits())
                .isEqualTo(3);
        assertThat(shipping.registry().awaited())
                .extracting(Awaited::mode, Awaited::waiters)
                .containsExactly(tuple(LockMode.PERMIT, 1));

        two.release();
        assertThat(billing.lock("orders:42").forceUnlock()).isTrue();
        soon().until(() -> three.state() == Lease.State.LOST);
        get(all).release();
        soon().until(() -> shipping.events().count(LockLostEvent.class, "orders:42") == 1);
        assertThat(modes(shipping)).containsOnly(LockMode.PERMIT);
    }

    private static List<LockMode> modes(Instance instance) {
        return instance.events().all().stream()
                .filter(event -> event.lockName().equals("orders:42"))
                .map(LockEvent::mode)
                .toList();
    }

    /** Readers that share one grant of the store as well. */
    @Test
    void shouldPublishEventsOfEachReader() throws Exception {
        Instance instance = this.instances.at(this.server, Setup::calm);
        Lease first = instance.registry().acquire(READING);
        Lease second = instance.registry().acquire(READING);
        soon().until(() -> instance.events().count(LockRenewedEvent.class, "orders:42") >= 2);
        first.release();
        second.release();

        soon().until(() -> instance.events().count(LockReleasedEvent.class, "orders:42") == 2);
        assertThat(instance.events().count(LockAcquiredEvent.class, "orders:42"))
                .isEqualTo(2);
        assertThat(modes(instance)).containsOnly(LockMode.READ);
    }

    @Test
    void shouldNameOneOfTheHoldersToAWaiter() throws Exception {
        Instance billing = instance("billing");
        Instance other = instance("other");
        Lease reader = billing.registry().acquire(READING);
        Lease permits = billing.registry().acquire(LockRequest.of("gate").withPermits(5, 5));

        LockNotGrantedException writing = refusal(other, LOCK);
        LockNotGrantedException entering = refusal(other, LockRequest.of("gate").withPermits(1, 5));

        LockHolder holder = writing.holder();
        assertThat(holder.application()).isEqualTo("billing");
        assertThat(writing).hasMessageContaining("is held by a reader, billing@" + holder.host() + " (pid ");
        assertThat(entering.holder()).isEqualTo(holder);
        assertThat(entering).hasMessageContaining("has 5 of 5 permits in use by billing@" + holder.host());
        reader.release();
        permits.release();
    }

    private static LockNotGrantedException refusal(Instance instance, LockRequest request) {
        return catchThrowableOfType(
                LockNotGrantedException.class,
                () -> instance.registry().acquire(request.withWaitTime(Duration.ofSeconds(2))));
    }

    private static int waiting(Instance instance) {
        return instance.registry().stored("orders:42").orElseThrow().waiting();
    }
}
