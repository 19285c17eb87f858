package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory.Stored;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Setup;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which instance holds a lock, as the others see it. */
@SuppressWarnings("LockNotBeforeTry") // what a test leaves locked ends with its instances
class WhoHoldsItTest extends FaultFixture {

    private static final String NAME = "orders:42";

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
        assertThat(this.redis.hgetall("lock:{orders:42}").get("o"))
                .startsWith(id + '-')
                .hasSize(22);
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

    /** It stands in the line, and has asked for its place and the owner while it waited. */
    @Test
    void shouldBeNamedToAWaiterOfAnotherInstance() throws Exception {
        Instance billing = instance(setup -> setup.application("billing"));
        Instance other = instance(setup -> setup);
        String id = published(billing);
        billing.acquire(NAME);

        LockNotGrantedException refusal = catchThrowableOfType(
                LockNotGrantedException.class,
                () -> other.registry().acquire(LockRequest.of(NAME).withWaitTime(Duration.ofSeconds(2))));

        assertThat(refusal.holder().instance()).isEqualTo(id);
        assertThat(refusal.holder().application()).isEqualTo("billing");
        assertThat(refusal)
                .hasMessageContaining("held by billing@" + refusal.holder().host() + " (pid ");
    }

    /** Without a question: a grant of this JVM holds the lock. */
    @Test
    void shouldBeThisInstanceForItsOwnThreads() throws Exception {
        Instance instance = instance(setup -> setup);
        instance.lock(NAME).lock();
        LockRequest once = LockRequest.of(NAME).withWaitTime(Duration.ZERO);

        LockNotGrantedException refusal = Call.start(() -> catchThrowableOfType(
                        LockNotGrantedException.class, () -> instance.registry().execute(once, lease -> lease)))
                .result();
        ExecutionException failed = Call.start(() -> catchThrowableOfType(
                        ExecutionException.class,
                        () -> instance.registry().acquireAsync(once).get()))
                .result();

        for (LockNotGrantedException each : List.of(refusal, (LockNotGrantedException) failed.getCause())) {
            assertThat(each)
                    .hasMessageContainingAll(
                            "this instance", "'" + Thread.currentThread().getName() + "'");
            assertThat(each.holder())
                    .isEqualTo(instance.registry().stored(NAME).orElseThrow().holder());
        }
    }
}
