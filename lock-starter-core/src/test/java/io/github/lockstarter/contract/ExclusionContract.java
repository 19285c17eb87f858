package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.LeaseLock;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** At most one owner at a time, and only the owner unlocks. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class ExclusionContract extends RegistryFixture {

    ExclusionContract(LockBackend backend) {
        super(backend);
    }

    @Test
    void shouldExcludeOtherRegistries() {
        LeaseLock here = registry().getLock(NAME);
        LeaseLock there = registry().getLock(NAME);

        here.lock();

        assertThat(there.tryLock()).isFalse();
        assertThat(there.isHeldByCurrentThread()).isFalse();

        here.unlock();

        assertThat(there.tryLock()).isTrue();
        there.unlock();
    }

    @Test
    void shouldLetOneInAtATimeInTheOrderOfTheTokens() throws Exception {
        int rounds = 40;
        AtomicInteger inside = new AtomicInteger();
        List<Long> tokens = new ArrayList<>();
        List<CompletableFuture<Boolean>> ends = new ArrayList<>();
        for (int jvm = 0; jvm < 3; jvm++) {
            LeaseLock lock = registry(settings(LONG)).getLock(NAME);
            for (int thread = 0; thread < 3; thread++) {
                ends.add(actor().start(() -> {
                    for (int round = 0; round < rounds; round++) {
                        lock.lock();
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        tokens.add(lock.currentLease().fencingToken());
                        inside.decrementAndGet();
                        lock.unlock();
                    }
                    return true;
                }));
            }
        }
        for (CompletableFuture<Boolean> end : ends) {
            Outcomes.get(end);
        }

        assertThat(tokens).hasSize(9 * rounds).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void shouldNotLetAThreadUnlockWhatItNeverHeld() throws Exception {
        LeasingLockRegistry registry = registry();
        LeaseLock lock = registry.getLock(NAME);
        LeaseLock there = registry().getLock(NAME);
        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContainingAll(NAME, Thread.currentThread().getName());
        Actor owner = actor();
        owner.tell(lock::lock);

        assertThatExceptionOfType(IllegalMonitorStateException.class)
                .isThrownBy(lock::unlock)
                .withMessageContainingAll("locked by another thread", "LockRegistry.acquire");
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(there::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(lock::currentLease);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(registry.getLock("orders:43")::unlock);

        assertThat(owner.ask(lock::isHeldByCurrentThread)).isTrue();
        assertThat(there.isLocked()).isTrue();
        owner.tell(lock::unlock);
        assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(() -> owner.tell(lock::unlock));
    }

    @Test
    void shouldSayWhatAThreadHoldsWithoutAskingTheStore() throws Exception {
        LeasingLockRegistry registry = registry(settings(LONG));
        LeaseLock lock = registry.getLock(NAME);
        lock.lock();
        long commands = backend().commands();

        assertThat(lock.isHeldByCurrentThread()).isTrue();
        assertThat(lock.getHoldCount()).isEqualTo(1);
        assertThat(lock.currentLease().isHeld()).isTrue();
        assertThat(lock.currentLease().name()).isEqualTo(NAME);
        Actor other = actor();
        assertThat(other.ask(lock::isHeldByCurrentThread)).isFalse();
        assertThat(other.ask(lock::getHoldCount)).isZero();

        assertThat(backend().commands()).isEqualTo(commands);
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        assertThat(lock.getHoldCount()).isZero();
    }

    @Test
    void shouldHaveNoConditions() {
        LeaseLock lock = registry().getLock(NAME);

        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(lock::newCondition)
                .withMessageContainingAll(NAME, "a queue or a topic");
    }
}
