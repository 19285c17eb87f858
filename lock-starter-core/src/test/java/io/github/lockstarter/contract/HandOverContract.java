package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static io.github.lockstarter.fixture.Waiting.soon;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.LockHandedOverEvent;
import io.github.lockstarter.LockHandedOverEvent.Kind;
import io.github.lockstarter.engine.HandOffSettings;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.engine.LockSettings;
import io.github.lockstarter.fixture.EventLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A lock that goes from one waiter of a JVM to the next, mostly without the store. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class HandOverContract extends RegistryFixture {

    /** In memory as often as it may, however slow the machine is. */
    static final HandOffSettings GENEROUS = new HandOffSettings(Duration.ofSeconds(10), 64);

    HandOverContract(LockBackend backend) {
        super(backend);
    }

    static LockSettings handingOver(HandOffSettings handOff) {
        return settings(LONG).withHandOff(handOff);
    }

    @Test
    void shouldServeThreadsInTheOrderOfArrival() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG));
        LeaseLock lock = registry.getLock(NAME);
        List<Integer> served = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            served.clear();
            lock.lock();
            List<CompletableFuture<Boolean>> ends = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int number = i;
                ends.add(actor().start(() -> {
                    lock.lock();
                    served.add(number);
                    lock.unlock();
                    return true;
                }));
                awaitWaiting(registry, i + 1);
            }
            lock.unlock();
            for (CompletableFuture<Boolean> end : ends) {
                get(end);
            }
            assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
        }
    }

    @Test
    void shouldGiveTheNextOneALeaseOfItsOwnWithoutTheStore() throws Exception {
        EventLog listener = new EventLog();
        LeasingLockRegistry registry = registry(handingOver(GENEROUS), listener);
        Lease first = registry.acquire(request());
        CompletableFuture<Lease> waiting = registry.acquireAsync(request());
        awaitWaiting(registry, 1);
        long commands = backend().commands();

        assertThat(first.release()).isTrue();
        Lease second = get(waiting);

        assertThat(backend().commands()).as("in memory").isEqualTo(commands);
        assertThat(second).isNotSameAs(first);
        assertThat(second.fencingToken()).isEqualTo(first.fencingToken() + 1);
        assertThat(first.state()).isEqualTo(Lease.State.RELEASED);
        assertThat(first.isHeld()).isFalse();
        assertThat(first.remaining()).isEqualTo(Duration.ZERO);
        assertThat(second.isHeld()).isTrue();
        assertThat(registry.active()).isEqualTo(1);
        soon().untilAsserted(() -> assertThat(listener.all(LockHandedOverEvent.class))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.kind()).isEqualTo(Kind.LOCAL);
                    assertThat(event.fencingToken()).isEqualTo(second.fencingToken());
                }));

        first.release();
        first.close();
        assertThat(second.isHeld()).as("released once is enough").isTrue();
        assertThat(registry().getLock(NAME).tryLock()).isFalse();
        assertThat(second.release()).isTrue();
        assertThat(first.lost().toCompletableFuture()).isNotDone();
        assertThat(second.lost().toCompletableFuture()).isNotDone();
    }

    @Test
    void shouldLetOtherRegistriesHaveTheirTurn() throws Exception {
        LeasingLockRegistry here = registry(handingOver(new HandOffSettings(Duration.ofSeconds(10), 2)));
        LeasingLockRegistry there = registry(settings(LONG));
        Lease first = here.acquire(request());
        CompletableFuture<Lease> stranger = there.acquireAsync(request().withWaitTime(LONG));
        awaitInLine(1);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(here.acquireAsync(request().withWaitTime(LONG)));
        }
        assertThat(first.release()).isTrue();
        assertThat(get(waiting.get(0)).release()).isTrue();
        assertThat(get(waiting.get(1)).release()).isTrue();

        Lease lease = get(stranger);
        assertThat(waiting.get(2)).isNotDone();
        assertThat(lease.release()).isTrue();
        assertThat(get(waiting.get(2)).release()).isTrue();
        assertThat(get(waiting.get(3)).release()).isTrue();
    }
}
