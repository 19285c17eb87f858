package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Acquires the locks of one subscription one after the other without blocking. Each request is sent by the thread that
 * completes the one before; a cancellation may arrive at any time on any thread.
 */
final class ReactiveAcquisition implements Consumer<MonoSink<HeldLeases>> {

    private final LockedInvocation call;

    private final HeldLeases held;

    private final LeaseOffer offer = new LeaseOffer();

    private volatile boolean cancelled;

    private volatile @Nullable CompletableFuture<Lease> pending;

    ReactiveAcquisition(LockedInvocation call, HeldLeases held) {
        this.call = call;
        this.held = held;
    }

    /** Emits the leases when all locks are granted. The subscriber must {@link #accept()} them. */
    Mono<HeldLeases> leases() {
        return Mono.create(this);
    }

    /** Returns whether the subscriber now owns the emitted leases; false if they were released. */
    boolean accept() {
        return this.offer.accept();
    }

    @Override
    public void accept(MonoSink<HeldLeases> sink) {
        sink.onCancel(this::cancel);
        acquireNext(sink);
    }

    private void cancel() {
        this.cancelled = true;
        CompletableFuture<Lease> current = this.pending;
        if (current != null) {
            current.cancel(true);
        }
        this.offer.withdraw();
    }

    private void acquireNext(MonoSink<HeldLeases> sink) {
        CompletableFuture<Lease> next;
        try {
            next = this.call.registry().acquireAsync(this.held.nextRequest()).toCompletableFuture();
        } catch (RuntimeException | Error ex) {
            fail(sink, ex);
            return;
        }
        this.pending = next;
        if (this.cancelled) {
            // The cancellation arrived before the future was stored.
            next.cancel(true);
        }
        CompletableFuture<?> unused = next.whenComplete((lease, failure) -> {
            if (failure != null) {
                Throwable cause = failure.getCause();
                fail(sink, failure instanceof CompletionException && cause != null ? cause : failure);
            } else {
                granted(sink, lease);
            }
        });
    }

    private void granted(MonoSink<HeldLeases> sink, Lease lease) {
        this.held.add(lease);
        if (this.held.count() < this.call.locks().size()) {
            acquireNext(sink);
        } else {
            this.offer.emit(this.held, sink::success);
        }
    }

    /** Releases the locks that were granted before, and reports the failure afterwards or when the wait is over. */
    private void fail(MonoSink<HeldLeases> sink, Throwable failure) {
        long nanos = this.held.releaseWaitNanos(failure);
        CompletableFuture<?> released = this.held.release();
        if (nanos <= 0 || released.isDone()) {
            sink.error(failure);
            return;
        }
        Disposable unused = Mono.fromFuture(released)
                .timeout(Duration.ofNanos(nanos))
                .subscribe(loss -> {}, ex -> sink.error(failure), () -> sink.error(failure));
    }
}
