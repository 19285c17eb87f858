package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Runs a method whose work is a publisher. Each subscription acquires the locks for itself without blocking, calls the
 * method, and releases the locks when the returned publisher has terminated or was cancelled.
 */
final class ReactiveExecution {

    private final Supplier<LockedInvocation> calls;

    private final ReactiveResults.Body body;

    /**
     * Creates the execution.
     *
     * @param calls called once for each subscription
     * @param body calls the method
     */
    ReactiveExecution(Supplier<LockedInvocation> calls, ReactiveResults.Body body) {
        this.calls = calls;
        this.body = body;
    }

    /** Returns the work under its locks, a publisher that does nothing before it is subscribed to. */
    Flux<Object> publisher() {
        return Flux.defer(this::subscription);
    }

    private Flux<Object> subscription() {
        LockedInvocation call = this.calls.get();
        if (!call.isLocked()) {
            return Flux.from(proceed(call, null));
        }
        HeldLeases held = new HeldLeases(call);
        ReactiveAcquisition acquisition = new ReactiveAcquisition(call, held);
        AtomicReference<@Nullable LockLostException> lost = new AtomicReference<>();
        return Flux.usingWhen(
                        acquisition.leases(),
                        leases -> acquisition.accept() ? runMethod(call, leases) : Flux.empty(),
                        leases -> release(leases).doOnNext(lost::set).flatMap(Mono::<Void>error),
                        (leases, failure) -> release(leases)
                                .doOnNext(loss -> HeldLeases.addLoss(loss, failure))
                                .then(),
                        leases -> release(leases).then())
                // Reactor wraps what goes wrong after the completion.
                .onErrorMap(
                        failure -> failure.getCause() != null && failure.getCause() == lost.get(), Throwable::getCause)
                .onErrorResume(LockNotGrantedException.class, failure -> notGranted(call, held, failure));
    }

    /** The method may use the lease before it returns, and its publisher from the subscriber context. */
    private Flux<Object> runMethod(LockedInvocation call, HeldLeases held) {
        Lease lease = held.innermost();
        return Flux.defer(() -> {
                    try {
                        held.start();
                        return LeaseContext.call(lease, current -> proceed(call, current));
                    } catch (Exception ex) {
                        return Flux.error(ex);
                    }
                })
                .contextWrite(context -> context.put(Lease.class, lease));
    }

    private Publisher<Object> proceed(LockedInvocation call, @Nullable Lease lease) {
        try {
            return this.body.run(call, lease);
        } catch (Throwable ex) {
            return Flux.error(ex);
        }
    }

    private Publisher<Object> notGranted(LockedInvocation call, HeldLeases held, LockNotGrantedException failure) {
        if (held.isStarted()) {
            return Flux.error(failure);
        }
        try {
            return this.body.replaced(AcquisitionFailures.notGranted(call, held.nextLock(), failure));
        } catch (Throwable ex) {
            return Flux.error(ex);
        }
    }

    /** Releases the leases and emits the loss that must be reported, if there is one. */
    private static Mono<LockLostException> release(HeldLeases held) {
        return Mono.fromCompletionStage(held::release);
    }
}
