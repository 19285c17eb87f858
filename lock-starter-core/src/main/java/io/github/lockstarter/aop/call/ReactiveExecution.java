package io.github.lockstarter.aop.call;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.aop.metadata.LockedMethod;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Runs a method that returns a Mono or a Flux. Each subscription acquires the locks for itself without blocking, calls
 * the method, and releases the locks when the returned publisher has terminated or was cancelled.
 */
final class ReactiveExecution {

    private final Supplier<LockedInvocation> calls;

    /**
     * Creates the execution.
     *
     * @param calls called once for each subscription
     */
    ReactiveExecution(Supplier<LockedInvocation> calls) {
        this.calls = calls;
    }

    /** Returns the result of the call, a publisher that does nothing before it is subscribed to. */
    Object publisher(LockedMethod method) {
        Flux<Object> locked = Flux.defer(this::subscription);
        return method.site().returnType() == Mono.class ? locked.singleOrEmpty() : locked;
    }

    private Flux<Object> subscription() {
        LockedInvocation call = this.calls.get();
        if (!call.isLocked()) {
            return Flux.from(proceed(call));
        }
        HeldLeases held = new HeldLeases(call);
        ReactiveAcquisition acquisition = new ReactiveAcquisition(call, held);
        return Flux.usingWhen(
                        acquisition.leases(),
                        leases -> acquisition.accept() ? runMethod(call, leases) : Flux.empty(),
                        leases -> release(leases).flatMap(Mono::<Void>error),
                        (leases, failure) -> release(leases)
                                .doOnNext(loss -> HeldLeases.addLoss(loss, failure))
                                .then(),
                        leases -> release(leases).then())
                .onErrorResume(LockNotGrantedException.class, failure -> notGranted(call, held, failure));
    }

    /** The method may use the lease before it returns, and its publisher from the subscriber context. */
    private static Flux<Object> runMethod(LockedInvocation call, HeldLeases held) {
        Lease lease = held.innermost();
        return Flux.defer(() -> {
                    try {
                        held.start();
                        return LeaseContext.call(lease, current -> proceed(call));
                    } catch (Exception ex) {
                        return Flux.error(ex);
                    }
                })
                .contextWrite(context -> context.put(Lease.class, lease));
    }

    private static Publisher<Object> proceed(LockedInvocation call) {
        try {
            // There may be several subscriptions.
            return published(call.repeatable().proceed());
        } catch (Throwable ex) {
            return Flux.error(ex);
        }
    }

    private static Publisher<Object> notGranted(
            LockedInvocation call, HeldLeases held, LockNotGrantedException failure) {
        if (held.isStarted()) {
            return Flux.error(failure);
        }
        try {
            return published(AcquisitionFailures.notGranted(call, held.nextLock(), failure));
        } catch (Throwable ex) {
            return Flux.error(ex);
        }
    }

    /** Releases the leases and emits the loss that must be reported, if there is one. */
    private static Mono<LockLostException> release(HeldLeases held) {
        return Mono.fromCompletionStage(held::release);
    }

    @SuppressWarnings("unchecked")
    private static Publisher<Object> published(@Nullable Object returned) {
        if (returned == null) {
            return Flux.empty();
        }
        return returned instanceof Publisher<?> publisher ? (Publisher<Object>) publisher : Flux.just(returned);
    }
}
