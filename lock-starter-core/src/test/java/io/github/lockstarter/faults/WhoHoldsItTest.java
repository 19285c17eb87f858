package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.failureOf;
import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import io.github.lockstarter.fixture.Setup;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which instances hold a lock or wait for it, as the others see it, and what listeners receive of shared grants. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class WhoHoldsItTest extends FaultFixture {

    private static final String NAME = "orders:42";

    private static final LockRequest LOCK = LockRequest.of(NAME);

    private static final LockRequest READING = LOCK.withMode(LockMode.READ);

    private Instance instance(UnaryOperator<Setup> setup) {
        return this.instances.at(this.server, each -> setup.apply(each.calm().withDescription()));
    }

    /** As soon as it has published its description. */
    private String published(Instance instance) throws Exception {
        try (Lease lease = instance.acquire("who")) {
            String id = Objects.requireNonNull(
                            instance.registry().stored("who").orElseThrow().holder())
                    .instance();
            soon().until(() -> this.redis.exists("lock:instance:" + id));
            return id;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldBeShownByAnotherInstance(boolean sharing) throws Exception {
        Instant before = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        Instance billing = instance(
                setup -> sharing ? setup.application("billing").sharedConnection() : setup.application("billing"));
        Instance other = instance(setup -> sharing ? setup.sharedConnection() : setup);
        String id = published(billing);
        Lease lease = billing.acquire(NAME);
        CompletableFuture<Lease> waiting = other.waitFor(NAME);
        soon().until(() ->
                !this.redis.hgetall("lock:{orders:42}").getOrDefault("q", "").isEmpty());

        Stored stored = other.registry().stored(NAME).orElseThrow();

        LockHolder holder = stored.holder();
        assertThat(holder.instance()).isEqualTo(id);
        assertThat(holder.application()).isEqualTo("billing");
        assertThat(holder.host()).isNotBlank();
        assertThat(holder.pid()).isEqualTo(ProcessHandle.current().pid());
        assertThat(holder.startedAt()).isBetween(before, Instant.now());
        assertThat(stored.since()).isEqualTo(Instant.EPOCH.plus(lease.fencingToken(), ChronoUnit.MICROS));
        assertThat(stored.waiting()).isEqualTo(1);
        assertThat(billing.registry().stored(NAME).orElseThrow().holder()).isEqualTo(holder);
        assertThat(this.redis.pttl("lock:instance:" + id)).isBetween(200_000L, 300_000L);
        assertThat(ownerOf("lock:{orders:42}")).startsWith(id + '-').hasSize(22);
        waiting.cancel(true);
    }

    @Test
    void shouldBeShownByItsIdOnlyIfItIsNotPublished() throws Exception {
        Instance silent = this.instances.at(this.server, setup -> setup.calm().application("billing"));
        Instance other = instance(setup -> setup);
        published(other);
        silent.acquire(NAME);

        assertThat(other.registry().stored(NAME).orElseThrow().holder().toString())
                .matches("[0-9A-Za-z]{11}");
        assertThat(silent.registry().stored(NAME).orElseThrow().holder().application())
                .as("of itself")
                .isEqualTo("billing");
        assertThat((List<?>) this.redis.command("KEYS", "lock:instance:*"))
                .as("that of the other one")
                .hasSize(1);
    }

    /** Without a question: a grant of this JVM holds the lock. */
    @Test
    void shouldBeThisInstanceForItsOwnThreads() throws Exception {
        Instance instance = instance(setup -> setup);
        instance.lock(NAME).lock();
        LockRequest once = LockRequest.of(NAME).withWaitTime(Duration.ZERO);

        for (Throwable refusal : List.of(
                failureOf(inThread(() -> instance.registry().execute(once, lease -> lease))),
                failureOf(inThread(() -> get(instance.registry().acquireAsync(once)))))) {
            assertThat(refusal)
                    .hasMessageContainingAll(
                            "this instance", "'" + Thread.currentThread().getName() + "'");
            assertThat(((LockNotGrantedException) refusal).holder())
                    .isEqualTo(instance.registry().stored(NAME).orElseThrow().holder());
        }
    }

    // ---- Shared grants

    /** An instance whose description has been published. No reader joins the grant of another one. */
    private Instance described(String application) throws Exception {
        Instance instance = instance(setup -> setup.withoutHandOff().application(application));
        String unused = published(instance);
        return instance;
    }

    @Test
    void shouldShowAllReadersAndWaiters() throws Exception {
        Instance billing = described("billing");
        Instance shipping = described("shipping");
        Lease first = billing.registry().acquire(READING);
        Lease second = shipping.registry().acquire(READING);
        CompletableFuture<Lease> writer = shipping.registry().acquireAsync(LOCK);
        CompletableFuture<Lease> reader = shipping.registry().acquireAsync(READING);
        CompletableFuture<Lease> behind = shipping.registry().acquireAsync(READING);
        // An instance has one place in the line, which is that of its first waiter.
        soon().until(() -> waiting(billing) == 1);

        Stored stored = billing.registry().stored(NAME).orElseThrow();

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
                .containsExactlyInAnyOrder(tuple(NAME, LockMode.WRITE, 1), tuple(NAME, LockMode.READ, 2));
        assertThat(shipping.registry().awaited(NAME).orElseThrow().waiters()).isEqualTo(3);
        assertThat(shipping.registry().held(NAME).orElseThrow().fencingToken()).isEqualTo(second.fencingToken());
        assertThat(shipping.registry().health().held()).isEqualTo(1);

        first.release();
        second.release();
        Lease written = get(writer);
        assertThat(billing.registry().stored(NAME).orElseThrow())
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
        Instance billing = described("billing");
        Instance shipping = described("shipping");
        Lease two = billing.registry().acquire(LOCK.withPermits(2, 5));
        Lease three = shipping.registry().acquire(LOCK.withPermits(3, 5));
        CompletableFuture<Lease> all = shipping.registry().acquireAsync(LOCK.withPermits(5, 5));
        soon().until(() -> waiting(billing) == 1);

        Stored stored = shipping.registry().stored(NAME).orElseThrow();
        assertThat(stored.mode()).isEqualTo(LockMode.PERMIT);
        assertThat(stored.holders())
                .extracting(holder -> holder.holder().application(), StoredGrant::permits)
                .containsExactly(tuple("billing", 2), tuple("shipping", 3));
        assertThat(shipping.registry().held(NAME).orElseThrow().permits()).isEqualTo(3);
        assertThat(shipping.registry().awaited())
                .extracting(Awaited::mode, Awaited::waiters)
                .containsExactly(tuple(LockMode.PERMIT, 1));

        two.release();
        assertThat(billing.lock(NAME).forceUnlock()).isTrue();
        soon().until(() -> three.state() == Lease.State.LOST);
        get(all).release();
        soon().until(() -> shipping.events().count(LockLostEvent.class, NAME) == 1);
        assertThat(modes(shipping)).containsOnly(LockMode.PERMIT);
    }

    private static List<LockMode> modes(Instance instance) {
        return instance.events().all().stream()
                .filter(event -> event.lockName().equals(NAME))
                .map(LockEvent::mode)
                .toList();
    }

    /** Readers that share one grant of the store as well. */
    @Test
    void shouldPublishEventsOfEachReader() throws Exception {
        Instance instance = this.instances.at(this.server, Setup::calm);
        Lease first = instance.registry().acquire(READING);
        Lease second = instance.registry().acquire(READING);
        soon().until(() -> instance.events().count(LockRenewedEvent.class, NAME) >= 2);
        first.release();
        second.release();

        soon().until(() -> instance.events().count(LockReleasedEvent.class, NAME) == 2);
        assertThat(instance.events().count(LockAcquiredEvent.class, NAME)).isEqualTo(2);
        assertThat(modes(instance)).containsOnly(LockMode.READ);
    }

    /** A waiter in the line asks for its place and the holder while it waits. */
    @Test
    void shouldBeNamedToAWaiterOfAnotherInstance() throws Exception {
        Instance billing = described("billing");
        Instance other = described("other");
        Lease lock = billing.acquire("single");
        Lease reader = billing.registry().acquire(READING);
        Lease permits = billing.registry().acquire(LockRequest.of("gate").withPermits(5, 5));

        LockNotGrantedException refused = refusal(other, LockRequest.of("single"));
        LockNotGrantedException writing = refusal(other, LOCK);
        LockNotGrantedException entering = refusal(other, LockRequest.of("gate").withPermits(1, 5));

        LockHolder holder = refused.holder();
        assertThat(holder.application()).isEqualTo("billing");
        assertThat(refused).hasMessageContaining("held by billing@" + holder.host() + " (pid ");
        assertThat(writing.holder()).isEqualTo(holder);
        assertThat(writing).hasMessageContaining("is held by a reader, billing@" + holder.host() + " (pid ");
        assertThat(entering.holder()).isEqualTo(holder);
        assertThat(entering).hasMessageContaining("has 5 of 5 permits in use by billing@" + holder.host());
        lock.release();
        reader.release();
        permits.release();
    }

    /** A request that the holders leave room for is refused only because others are first in the line. */
    @Test
    void shouldNameEarlierRequestsAsTheReason() throws Exception {
        Instance billing = described("billing");
        Instance other = described("other");
        Lease two = billing.registry().acquire(LOCK.withPermits(2, 3));
        CompletableFuture<Lease> all = billing.registry().acquireAsync(LOCK.withPermits(3, 3));
        soon().until(() -> waiting(other) == 1);

        assertThatThrownBy(() -> other.registry().acquire(LOCK.withPermits(1, 3).withWaitTime(Duration.ZERO)))
                .as("refusal of a permit that is free")
                .isInstanceOf(LockNotGrantedException.class)
                .hasMessageContainingAll("2 of 3 permits", "earlier requests wait");
        assertThatThrownBy(() -> other.registry().acquire(LOCK.withPermits(2, 3).withWaitTime(Duration.ZERO)))
                .as("refusal of more permits than are free")
                .isInstanceOf(LockNotGrantedException.class)
                .hasMessageContaining("2 of 3 permits")
                .hasMessageNotContaining("earlier requests");
        two.release();
        get(all).release();
    }

    private static LockNotGrantedException refusal(Instance instance, LockRequest request) {
        return catchThrowableOfType(
                LockNotGrantedException.class,
                () -> instance.registry().acquire(request.withWaitTime(Duration.ofSeconds(1))));
    }

    private static int waiting(Instance instance) {
        return instance.registry().stored(NAME).orElseThrow().waiting();
    }
}
