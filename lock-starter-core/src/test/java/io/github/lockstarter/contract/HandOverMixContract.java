package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.HandOffSettings;
import io.github.lockstarter.engine.LeasingLockRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Those who wait for one lock in one JVM, and want different things. */
@SuppressWarnings("LockNotBeforeTry") // holds are the subject, their ends as well
abstract class HandOverMixContract extends RegistryFixture {

    HandOverMixContract(LockBackend backend) {
        super(backend);
    }

    private static LockRequest patient() {
        return request().withWaitTime(LONG);
    }

    /** In memory or through the store. */
    private LeasingLockRegistry registry(int handOffs) {
        return registry(settings(LONG).withHandOff(new HandOffSettings(Duration.ofSeconds(10), handOffs)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64})
    void shouldServeThreadsAndOthersInOneOrder(int handOffs) throws Exception {
        LeasingLockRegistry registry = registry(handOffs);
        Lease taken = registry.acquire(request());
        Queue<Integer> served = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<?>> ends = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            int number = i;
            expected.add(i);
            ends.add(
                    i % 2 == 0
                            ? registry.acquireAsync(patient()).thenAccept(lease -> {
                                served.add(number);
                                lease.close();
                            })
                            : actor().start(() -> registry.execute(patient(), lease -> served.add(number))));
            awaitWaiting(registry, i + 1);
        }

        assertThat(taken.release()).isTrue();

        for (CompletableFuture<?> end : ends) {
            get(end);
        }
        assertThat(served).containsExactlyElementsOf(expected);
    }

    @Test
    void shouldRenewWhatWasHandedOver() throws Exception {
        LeasingLockRegistry registry = registry();
        Lease first = registry.acquire(request());
        CompletableFuture<Lease> second = registry.acquireAsync(patient());
        CompletableFuture<Lease> third = registry.acquireAsync(patient());
        assertThat(first.release()).isTrue();
        awaitRenewals(get(second));
        assertThat(get(second).release()).isTrue();
        awaitRenewals(get(third));
        assertThat(registry().getLock(NAME).tryLock()).isFalse();
        assertThat(get(third).release()).isTrue();
    }
}
