package io.github.lockstarter.contract;

import static io.github.lockstarter.contract.Outcomes.get;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.HandOffSettings;
import io.github.lockstarter.engine.LockSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

/** The base of the contracts about readers and permits. */
abstract class SharedFixture extends RegistryFixture {

    /** Admission window and budget of hand-overs that do not end in a test. */
    static final HandOffSettings GENEROUS = new HandOffSettings(Duration.ofSeconds(10), 10_000);

    /** Every grant comes from the store. */
    static final HandOffSettings NONE = new HandOffSettings(Duration.ZERO, 0);

    SharedFixture(LockBackend backend) {
        super(backend);
    }

    /** Nothing is renewed and nothing polls during a test, so that commands can be counted. */
    static LockSettings quiet(HandOffSettings handOff) {
        return withoutPolling(LONG).withHandOff(handOff);
    }

    static LockRequest reader() {
        return request().withMode(LockMode.READ);
    }

    static LockRequest permits(int weight, int permits) {
        return request().withPermits(weight, permits);
    }

    /** Lets so many threads call at the same time, and returns their results. */
    <T> List<T> atOnce(List<Actor> threads, Callable<T> call) throws Exception {
        CyclicBarrier start = new CyclicBarrier(threads.size());
        List<CompletableFuture<T>> results = new ArrayList<>();
        for (Actor thread : threads) {
            results.add(thread.start(() -> {
                start.await(20, TimeUnit.SECONDS);
                return call.call();
            }));
        }
        List<T> all = new ArrayList<>();
        for (CompletableFuture<T> result : results) {
            all.add(get(result));
        }
        return all;
    }

    List<Actor> actors(int count) {
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            actors.add(actor());
        }
        return actors;
    }
}
