package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.get;
import static io.github.lockstarter.fixture.Waiting.inThread;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockQueueFullException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.WaitingLine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers above the limit of waiters cost Redis nothing, however many they are. */
@Timeout(180)
class WaiterLimitTest extends FaultFixture {

    private static final int REFUSED = 10_000;

    private static final int LIMIT = 50;

    private static final int THREADS = 4;

    private static final LockRequest HOT = LockRequest.of("hot", "1").withMaxWaiters(LIMIT);

    /** The lock is held by the instance whose callers wait, or by another one, in which line it then stands. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRefuseThousandsWithoutACommand(boolean isHeldElsewhere) throws Exception {
        Instance instance =
                this.instances.at(this.server, setup -> longLease(setup).withoutPolling());
        Instance owner = isHeldElsewhere
                ? this.instances.at(this.server, setup -> longLease(setup).withoutPolling())
                : instance;
        Lease held = owner.registry().acquire(HOT.withLease(LONG));
        AtomicInteger refused = new AtomicInteger();
        List<CompletableFuture<Lease>> calls = new ArrayList<>(call(instance, LIMIT, refused));
        soon().until(() -> instance.registry().waiting() == LIMIT);
        if (isHeldElsewhere) {
            // The first waiter asks once more after its subscription.
            WaitingLine.awaitSubscribed(this.redis, "lock:{hot:1}", 1);
        }
        long before = commands();

        List<CompletableFuture<List<CompletableFuture<Lease>>>> callers = IntStream.range(0, THREADS)
                .mapToObj(i -> inThread(() -> call(instance, REFUSED / THREADS, refused)))
                .toList();
        for (CompletableFuture<List<CompletableFuture<Lease>>> each : callers) {
            calls.addAll(get(each));
        }
        soon().until(() -> refused.get() >= REFUSED);
        assertThatExceptionOfType(LockQueueFullException.class)
                .isThrownBy(() -> instance.registry().acquire(HOT))
                .withMessageContaining("at most " + LIMIT);

        assertThat(commands() - before)
                .as("commands while thousands were refused, some of which the instance sends in the background")
                .isLessThan(LIMIT);
        assertThat(instance.registry().waiting()).isEqualTo(LIMIT);
        assertThat(refused).hasValue(REFUSED);
        held.release();
        soon().until(() -> calls.stream().allMatch(CompletableFuture::isDone));
        assertThat(calls).filteredOn(call -> !call.isCompletedExceptionally()).hasSize(LIMIT);
    }

    /** The outcome of one attempt decides about all of them. */
    @Test
    void shouldLeaveAsManyWaitersAsTheLimitWhenAllBeginTogether() throws Exception {
        Instance instance =
                this.instances.at(this.server, setup -> longLease(setup).withoutPolling());
        Lease held = this.instances
                .at(this.server, setup -> longLease(setup).withoutPolling())
                .registry()
                .acquire(HOT.withLease(LONG));
        AtomicInteger refused = new AtomicInteger();

        List<CompletableFuture<Lease>> calls = call(instance, 10 * LIMIT, refused);

        soon().until(() -> refused.get() == 9 * LIMIT);
        assertThat(instance.registry().waiting()).isEqualTo(LIMIT);
        held.release();
        soon().until(() -> calls.stream().allMatch(CompletableFuture::isDone));
        assertThat(calls).filteredOn(call -> !call.isCompletedExceptionally()).hasSize(LIMIT);
    }

    /** Requests the lock so often, and releases each grant. */
    private static List<CompletableFuture<Lease>> call(Instance instance, int count, AtomicInteger refused) {
        return Stream.generate(() -> instance.registry().acquireAsync(HOT.withWaitTime(LONG)))
                .limit(count)
                .map(call -> call.whenComplete((lease, failure) -> {
                    if (failure instanceof LockQueueFullException) {
                        refused.incrementAndGet();
                    } else if (lease != null) {
                        lease.releaseAsync();
                    }
                }))
                .toList();
    }

    /** Returns the number of all commands that the server has executed. */
    private long commands() {
        return this.redis.infoCommandStats().values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
