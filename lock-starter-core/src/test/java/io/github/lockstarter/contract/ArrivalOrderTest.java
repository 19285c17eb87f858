package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.HandOffSettings;
import io.github.lockstarter.engine.LeasingLockRegistry;
import io.github.lockstarter.testsupport.RedisServer;
import io.github.lockstarter.testsupport.RedisTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests of one JVM for one lock are granted in the order of their arrival, whatever they request. The tokens show the
 * order: each grant has a larger one than those before it, and only readers share one.
 */
class ArrivalOrderTest {

    abstract static class ArrivalOrderContract extends SharedFixture {

        private static final int PERMITS = 4;

        ArrivalOrderContract(LockBackend backend) {
            super(backend);
        }

        static Stream<HandOffSettings> budgets() {
            return Stream.of(NONE, GENEROUS);
        }

        @ParameterizedTest
        @MethodSource("budgets")
        void shouldHoldForReadersAndWriters(HandOffSettings handOff) throws Exception {
            LeasingLockRegistry registry = registry(quiet(handOff));
            List<LockRequest> requests = "WRWWRRWRWW"
                    .chars()
                    .mapToObj(kind -> kind == 'W' ? request() : reader())
                    .toList();

            List<Long> tokens = tokensOfWaits(registry, request(), requests);

            assertThat(tokens).as("tokens in the order of arrival").isSorted();
            for (int i = 1; i < requests.size(); i++) {
                if (requests.get(i - 1).mode() != requests.get(i).mode()) {
                    assertThat(tokens.get(i)).isGreaterThan(tokens.get(i - 1));
                }
            }
        }

        @ParameterizedTest
        @MethodSource("budgets")
        void shouldHoldForDifferentNumbersOfPermits(HandOffSettings handOff) throws Exception {
            LeasingLockRegistry registry = registry(quiet(handOff));
            List<LockRequest> requests = Stream.of(3, 1, 3, 1, 1, 4, 2, 1, 3)
                    .map(weight -> permits(weight, PERMITS))
                    .toList();

            List<Long> tokens = tokensOfWaits(registry, permits(PERMITS, PERMITS), requests);

            assertThat(tokens).as("tokens in the order of arrival").isSorted().doesNotHaveDuplicates();
        }

        /** Threads that are blocked have the same queue. */
        @Test
        void shouldHoldForThreads() throws Exception {
            LeasingLockRegistry registry = registry(quiet(NONE));
            Lease owner = registry.acquire(request());
            List<CompletableFuture<Long>> grants = new ArrayList<>();
            for (LockRequest request : List.of(request(), request(), reader(), request(), reader())) {
                grants.add(actor().start(() -> tokenOf(registry, request)));
                awaitWaiting(registry, grants.size());
            }

            owner.release();

            assertThat(results(grants)).as("tokens in the order of arrival").isSorted();
        }

        private static long tokenOf(LockRegistry registry, LockRequest request) throws InterruptedException {
            try (Lease lease = registry.acquire(request.withWaitTime(LONG))) {
                return lease.fencingToken();
            }
        }

        /** Lets all requests wait for an owner, in that order, and each release its grant at once. */
        private static List<Long> tokensOfWaits(
                LeasingLockRegistry registry, LockRequest owners, List<LockRequest> requests) throws Exception {
            Lease owner = registry.acquire(owners);
            List<CompletableFuture<Long>> grants = new ArrayList<>();
            for (LockRequest request : requests) {
                grants.add(registry.acquireAsync(request.withWaitTime(LONG))
                        .toCompletableFuture()
                        .thenApply(ArrivalOrderContract::release));
                awaitWaiting(registry, grants.size());
            }

            owner.release();

            return results(grants);
        }

        private static long release(Lease lease) {
            lease.close();
            return lease.fencingToken();
        }

        private static List<Long> results(List<CompletableFuture<Long>> grants) throws Exception {
            List<Long> results = new ArrayList<>();
            for (CompletableFuture<Long> grant : grants) {
                results.add(get(grant));
            }
            return results;
        }
    }

    @Nested
    class InMemory extends ArrivalOrderContract {
        InMemory() {
            super(new InMemoryBackend());
        }
    }

    @Nested
    @RedisTest
    class OnRedis extends ArrivalOrderContract {
        OnRedis(RedisServer server) {
            super(new RedisBackend(server));
        }
    }
}
