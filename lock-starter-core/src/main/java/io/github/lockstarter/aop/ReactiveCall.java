package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Calls of a locked method that returns a Mono or a Flux. Each subscription takes the locks for itself, without a thread
 * that waits, calls the method, and releases the locks when what it returned has ended or was cancelled.
 */
final class ReactiveCall {

    /** What the method does in one subscription when its locks are not granted. */
    interface Otherwise {
        @Nullable
        Object answer(LockNotGrantedException failure, LockStep step) throws Throwable;
    }

    private final LockedInvocation call;

    private final Otherwise otherwise;

    private final Scheduler releases;

    ReactiveCall(LockedInvocation call, Otherwise otherwise, Executor releases) {
        this.call = call;
        this.otherwise = otherwise;
        this.releases = Schedulers.fromExecutor(releases);
    }

    /** What the caller gets: nothing happens before it subscribes. */
    Object publisher(Class<?> returned) {
        Flux<Object> locked = Flux.defer(() -> new Subscription().run());
        return returned == Mono.class ? locked.singleOrEmpty() : locked;
    }

    private final class Subscription {

        private final long began = System.nanoTime();

        private final List<Lease> leases = new ArrayList<>(1);

        private boolean started;

        private long startedAt;

        Flux<Object> run() {
            return from(0).onErrorResume(LockNotGrantedException.class, this::notGranted);
        }

        private Flux<Object> from(int index) {
            LockStep step = ReactiveCall.this.call.steps().get(index);
            LeaseOffer offer = new LeaseOffer(ReactiveCall.this.releases::schedule);
            return Flux.usingWhen(
                    acquire(index, offer),
                    lease -> {
                        if (!offer.accept()) {
                            return Flux.empty();
                        }
                        this.leases.add(lease);
                        return under(lease, index + 1);
                    },
                    lease -> end(lease, step).flatMap(Mono::<Void>error),
                    (lease, failure) -> end(lease, step)
                            .doOnNext(loss -> HeldLeases.tellBeside(loss, failure))
                            .then(),
                    lease -> end(lease, step).then());
        }

        /** A cancellation may come at any time, even before anything was requested. */
        private Mono<Lease> acquire(int index, LeaseOffer offer) {
            LockedInvocation call = ReactiveCall.this.call;
            return Mono.create(sink -> {
                CompletableFuture<Lease> granted = call.registry()
                        .acquireAsync(call.tentative(index, this.began))
                        .toCompletableFuture();
                sink.onCancel(() -> {
                    granted.cancel(true);
                    offer.withdraw();
                });
                CompletableFuture<?> unused = granted.whenComplete((lease, failure) -> {
                    if (failure == null) {
                        offer.make(lease, sink::success);
                    } else {
                        Throwable cause = failure.getCause();
                        sink.error(failure instanceof CompletionException && cause != null ? cause : failure);
                    }
                });
            });
        }

        private Flux<Object> under(Lease lease, int next) {
            Flux<Object> inside = next < ReactiveCall.this.call.steps().size()
                    ? Flux.defer(() -> from(next))
                    : Flux.defer(() -> method(lease));
            return inside.contextWrite(context -> context.put(Lease.class, lease));
        }

        /** It may ask for its lease before it returns. */
        private Publisher<Object> method(Lease lease) {
            try {
                ReactiveCall.this.call.ensureHeld(this.leases);
            } catch (LockLostException ex) {
                return Flux.error(ex);
            }
            this.startedAt = System.nanoTime();
            this.started = true;
            try {
                return LeaseContext.call(lease, current -> proceed());
            } catch (Exception ex) {
                return Flux.error(ex);
            }
        }

        private Publisher<Object> proceed() {
            try {
                // There may be many subscriptions.
                return published(ReactiveCall.this.call.again().proceed());
            } catch (Throwable ex) {
                return Flux.error(ex);
            }
        }

        private Publisher<Object> notGranted(LockNotGrantedException failure) {
            if (this.leases.size() == ReactiveCall.this.call.steps().size()) {
                return Flux.error(failure);
            }
            try {
                return published(ReactiveCall.this.otherwise.answer(
                        failure, ReactiveCall.this.call.steps().get(this.leases.size())));
            } catch (Throwable ex) {
                return Flux.error(ex);
            }
        }

        /** Emits the loss that the owner wants to hear of, if there is one. */
        private Mono<LockLostException> end(Lease lease, LockStep step) {
            return Mono.fromCallable(() -> HeldLeases.end(lease, toKeep(step), ReactiveCall.this.call.onLost(step)))
                    // A release waits for Redis, and whoever ends the publisher must not.
                    .subscribeOn(ReactiveCall.this.releases);
        }

        private Duration toKeep(LockStep step) {
            return this.started ? LockedInvocation.toKeep(step, this.startedAt) : Duration.ZERO;
        }
    }

    @SuppressWarnings("unchecked")
    private static Publisher<Object> published(@Nullable Object returned) {
        if (returned == null) {
            return Flux.empty();
        }
        return returned instanceof Publisher<?> publisher ? (Publisher<Object>) publisher : Flux.just(returned);
    }
}
