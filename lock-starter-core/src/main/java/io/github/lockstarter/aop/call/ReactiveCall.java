package io.github.lockstarter.aop.call;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

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

    private final Supplier<LockedInvocation> calls;

    private final Otherwise otherwise;

    /**
     * Creates the calls.
     *
     * @param calls asked once for each subscription
     */
    ReactiveCall(Supplier<LockedInvocation> calls, Otherwise otherwise) {
        this.calls = calls;
        this.otherwise = otherwise;
    }

    /** What the caller gets: nothing happens before it subscribes. */
    Object publisher(Class<?> returned) {
        Flux<Object> locked = Flux.defer(this::subscription);
        return returned == Mono.class ? locked.singleOrEmpty() : locked;
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
                        leases -> acquisition.accept() ? method(call, leases) : Flux.empty(),
                        leases -> end(leases).flatMap(Mono::<Void>error),
                        (leases, failure) -> end(leases)
                                .doOnNext(loss -> HeldLeases.tellBeside(loss, failure))
                                .then(),
                        leases -> end(leases).then())
                .onErrorResume(LockNotGrantedException.class, failure -> notGranted(failure, held));
    }

    /** It may ask for its lease before it returns. */
    private static Flux<Object> method(LockedInvocation call, HeldLeases held) {
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
            // There may be many subscriptions.
            return published(call.again().proceed());
        } catch (Throwable ex) {
            return Flux.error(ex);
        }
    }

    private Publisher<Object> notGranted(LockNotGrantedException failure, HeldLeases held) {
        if (held.isStarted()) {
            return Flux.error(failure);
        }
        try {
            return published(this.otherwise.answer(failure, held.current()));
        } catch (Throwable ex) {
            return Flux.error(ex);
        }
    }

    /** Emits the loss that the owner has to learn of, if there is one. */
    private static Mono<LockLostException> end(HeldLeases held) {
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
