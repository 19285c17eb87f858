package io.github.lockstarter.history;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.fixture.Instance;
import io.github.lockstarter.fixture.Instances;
import io.github.lockstarter.fixture.Setup;
import io.github.lockstarter.registry.ReleaseMode;
import io.github.lockstarter.testsupport.history.AcquireRequest;
import io.github.lockstarter.testsupport.history.HeldLock;
import io.github.lockstarter.testsupport.history.HistoryWorker;
import io.github.lockstarter.testsupport.history.LockFailureException;
import io.github.lockstarter.testsupport.history.LockUnderTest;
import io.github.lockstarter.testsupport.history.WorkerArguments;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A worker process that uses this library. Its variant is a {@link Style}. */
final class LockStarterWorker implements LockUnderTest {

    private static final Duration POLL = Duration.ofMillis(150);

    /** How an instance is configured. */
    enum Style {
        USUAL,
        /** A release does not wait for the answer. */
        BACKGROUND,
        /** Commands use the connection of the application, which repeats them after a reconnection. */
        SHARED
    }

    private final Instances instances = new Instances();

    private final Instance instance;

    private final LockRegistry registry;

    private LockStarterWorker(WorkerArguments arguments) {
        Style style = Style.valueOf(arguments.variant());
        this.instance = this.instances.at(arguments.port(), setup -> configure(setup, arguments, style));
        this.registry = this.instance.registry();
    }

    public static void main(String[] arguments) throws Exception {
        HistoryWorker.run(arguments, LockStarterWorker::new);
    }

    private static Setup configure(Setup setup, WorkerArguments arguments, Style style) {
        setup.lease(arguments.timing().lease())
                .commandTimeout(arguments.timing().command())
                .pollInterval(POLL)
                .releaseMode(style == Style.BACKGROUND ? ReleaseMode.BACKGROUND : ReleaseMode.AWAIT);
        return style == Style.SHARED
                ? setup.sharedConnection().applicationTimeout(arguments.timing().command())
                : setup;
    }

    private static LockRequest of(AcquireRequest request) {
        LockRequest plain = LockRequest.of(request.lock()).withWaitTime(request.waitTime());
        return request.lease() != null ? plain.withLease(request.lease()) : plain;
    }

    private static LockFailureException failure(LockException failure) {
        boolean isUnknown = failure instanceof LockStoreException store && store.isOutcomeUnknown();
        return new LockFailureException(failure, isUnknown);
    }

    @Override
    public Optional<HeldLock> tryAcquire(AcquireRequest request) throws InterruptedException {
        try {
            return this.registry.tryAcquire(of(request)).map(Held::new);
        } catch (LockException ex) {
            throw failure(ex);
        }
    }

    @Override
    public Optional<HeldLock> tryAcquireOrCancel(AcquireRequest request, Duration patience)
            throws InterruptedException {
        CompletableFuture<Lease> lease = this.registry.acquireAsync(of(request)).toCompletableFuture();
        try {
            try {
                return Optional.of(new Held(lease.get(patience.toMillis(), TimeUnit.MILLISECONDS)));
            } catch (TimeoutException ex) {
                if (lease.cancel(true)) {
                    throw new CancellationException();
                }
                return Optional.of(new Held(lease.get()));
            }
        } catch (ExecutionException ex) {
            if (ex.getCause() instanceof LockNotGrantedException) {
                return Optional.empty();
            }
            throw failure((LockException) ex.getCause());
        }
    }

    @Override
    public void forgetEvents() {
        this.instance.events().forget();
    }

    @Override
    public void close() {
        this.instances.close();
    }

    private record Held(Lease lease) implements HeldLock {

        @Override
        public long token() {
            return this.lease.fencingToken();
        }

        @Override
        public Duration remaining() {
            return this.lease.remaining();
        }

        @Override
        public boolean isHeld() {
            return this.lease.isHeld() && !remaining().isZero();
        }

        @Override
        public void onLoss(Consumer<String> listener) {
            this.lease.lost().thenAccept(reason -> listener.accept(reason.name()));
        }

        @Override
        public boolean release() {
            return this.lease.release();
        }
    }
}
