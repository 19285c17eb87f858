package io.github.lockstarter.faults;

import static io.github.lockstarter.fixture.Waiting.LIMIT;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.fixture.Instance;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** How somebody stops waiting for a lock. */
enum Leaving {
    TIMEOUT(LockNotGrantedException.class) {
        @Override
        Leaver join(Instance instance, String name) {
            // long enough to be in line before
            Call<Lease> call = Call.start(
                    () -> instance.registry().acquire(LockRequest.of(name).withWaitTime(Duration.ofSeconds(4))));
            return call::failure;
        }
    },
    INTERRUPT(InterruptedException.class) {
        @Override
        Leaver join(Instance instance, String name) {
            Call<Lease> call = Call.start(() -> instance.registry().acquire(forever(name)));
            return () -> {
                call.interrupt();
                return call.failure();
            };
        }
    },
    CANCEL(CancellationException.class) {
        @Override
        Leaver join(Instance instance, String name) {
            CompletableFuture<Lease> lease =
                    instance.registry().acquireAsync(forever(name)).toCompletableFuture();
            return () -> {
                lease.cancel(true);
                return catchThrowable(() -> lease.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS));
            };
        }
    };

    private final Class<? extends Exception> failure;

    Leaving(Class<? extends Exception> failure) {
        this.failure = failure;
    }

    /** Begins to wait. */
    abstract Leaver join(Instance instance, String name);

    /** What the call ends with. */
    Class<? extends Exception> failure() {
        return this.failure;
    }

    private static LockRequest forever(String name) {
        return LockRequest.of(name).withWaitTime(LockRequest.FOREVER);
    }
}
