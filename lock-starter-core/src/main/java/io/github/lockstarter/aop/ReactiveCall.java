package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.aop.DistributedLockInterceptor.LockedCall;
import io.github.lockstarter.registry.LockSequence;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Runs one subscription to a method whose work is a publisher or can be turned into one: Mono, Flux, Kotlin's Flow, and
 * suspend functions, for which Spring's proxies convert the publisher that an interceptor returns. Each subscription
 * acquires the locks for itself without blocking, calls the method, and releases the locks when the returned publisher
 * has terminated or was cancelled.
 *
 * <p>The leases are taken one after the other, each by the thread that completes the one before. A cancellation may
 * arrive at any time on any thread, and Reactor silently drops a value that is emitted during one. Therefore the
 * publisher must take the leases from {@link #granted}; leases that are not taken are released.
 */
final class ReactiveCall {

    private final LockedCall call;

    private final LockSequence locks;

    /** The coroutine context of the collector of a Flow, without a job; null for other results. */
    private final @Nullable Object context;

    /** Set from the last grant until the publisher that works under the leases takes them. */
    private final AtomicBoolean granted = new AtomicBoolean();

    private final AtomicReference<@Nullable LockLostException> lost = new AtomicReference<>();

    private volatile boolean cancelled;

    private volatile @Nullable CompletableFuture<Lease> pending;

    private ReactiveCall(LockedCall call, @Nullable Object context) {
        this.call = call;
        this.locks = call.locks;
        this.context = context;
    }

    /**
     * Returns the result of the method, which does nothing before it is subscribed to or collected.
     *
     * @param calls called once for each subscription
     */
    static Object result(LockedMethod method, MethodInvocation invocation, Supplier<LockedCall> calls) {
        LockSite site = method.site;
        if (site.isSuspending() && !(invocation instanceof ProxyMethodInvocation)) {
            throw new LockException("Lock of " + site + " is not acquired, and the method was not run: it is a suspend"
                    + " function, whose lock requires a Spring proxy. Call the function on the Spring bean, with"
                    + " distributed-lock.mode=proxy.");
        }
        if (site.returnsFlow() && !site.isSuspending()) {
            return Coroutines.flow(context -> publisher(calls, context));
        }
        Flux<Object> locked = publisher(calls, null);
        boolean several = site.returnsFlow() || site.returnType() == Flux.class;
        return several ? locked : locked.singleOrEmpty();
    }

    private static Flux<Object> publisher(Supplier<LockedCall> calls, @Nullable Object context) {
        return Flux.defer(() -> {
            ReactiveCall subscription = new ReactiveCall(calls.get(), context);
            return subscription.call.isUnlocked() ? subscription.proceed(null) : subscription.runUnderLocks();
        });
    }

    private Flux<Object> runUnderLocks() {
        return Flux.usingWhen(
                        Mono.<LockSequence>create(this::acquire),
                        leases -> this.granted.getAndSet(false) ? runMethod() : Flux.empty(),
                        leases -> release().doOnNext(this.lost::set).flatMap(Mono::<Void>error),
                        (leases, failure) -> release()
                                .doOnNext(loss -> LockSequence.addLoss(loss, failure))
                                .then(),
                        leases -> release().then())
                // Reactor wraps what goes wrong after the completion.
                .onErrorMap(
                        failure -> failure.getCause() != null && failure.getCause() == this.lost.get(),
                        Throwable::getCause)
                .onErrorResume(LockNotGrantedException.class, this::notGranted);
    }

    private void acquire(MonoSink<LockSequence> sink) {
        sink.onCancel(this::cancel);
        acquireNext(sink);
    }

    private void cancel() {
        this.cancelled = true;
        CompletableFuture<Lease> current = this.pending;
        if (current != null) {
            current.cancel(true);
        }
        releaseIfNotTaken();
    }

    private void acquireNext(MonoSink<LockSequence> sink) {
        CompletableFuture<Lease> next;
        try {
            next = this.locks.acquireAsync(this.call.registry);
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
                fail(sink, LockSequence.unwrapped(failure));
                return;
            }
            this.locks.add(lease);
            if (!this.locks.areAllGranted()) {
                acquireNext(sink);
                return;
            }
            this.granted.set(true);
            sink.success(this.locks);
            if (this.cancelled) {
                releaseIfNotTaken();
            }
        });
    }

    private void releaseIfNotTaken() {
        if (this.granted.getAndSet(false)) {
            CompletableFuture<?> unused = this.locks.release();
        }
    }

    /** Releases the locks that were granted before, and reports the failure afterwards or when the wait is over. */
    private void fail(MonoSink<LockSequence> sink, Throwable failure) {
        long nanos = this.locks.releaseWaitNanos(failure);
        CompletableFuture<?> released = this.locks.release();
        if (nanos <= 0 || released.isDone()) {
            sink.error(failure);
            return;
        }
        Disposable unused = Mono.fromFuture(released)
                .timeout(Duration.ofNanos(nanos))
                .subscribe(loss -> {}, ex -> sink.error(failure), () -> sink.error(failure));
    }

    /** The method may use the lease before it returns, and its publisher from the subscriber context. */
    private Flux<Object> runMethod() {
        Lease lease = this.locks.innermost();
        return Flux.defer(() -> {
                    try {
                        this.locks.begin();
                        return LeaseContext.call(lease, this::proceed);
                    } catch (Exception ex) {
                        return Flux.error(ex);
                    }
                })
                .contextWrite(context -> context.put(Lease.class, lease));
    }

    /**
     * Calls the method, which the subscriptions to its publisher may do repeatedly, and returns its work.
     *
     * @param lease null if no condition is met
     */
    private Publisher<Object> proceed(@Nullable Lease lease) {
        try {
            MethodInvocation invocation = this.call.invocation;
            if (invocation instanceof ProxyMethodInvocation proxied) {
                // The invocation of a proxy can proceed only once.
                invocation = lease != null && this.call.method.site.isSuspending()
                        ? proxied.invocableClone(Coroutines.withLease(proxied.getArguments(), lease))
                        : proxied.invocableClone();
            }
            return published(invocation.proceed(), lease);
        } catch (Throwable ex) {
            return Flux.error(ex);
        }
    }

    private Publisher<Object> notGranted(LockNotGrantedException failure) {
        if (this.locks.isBegun()) {
            return Flux.error(failure);
        }
        try {
            return published(this.call.notGranted(failure), null);
        } catch (Throwable ex) {
            return Flux.error(ex);
        }
    }

    /** Releases the leases and emits the loss that must be reported, if there is one. */
    private Mono<LockLostException> release() {
        return Mono.fromCompletionStage(this.locks::release);
    }

    /** Returns a result as a publisher: the result may be one, a Flow, no value, or a single value. */
    @SuppressWarnings("unchecked")
    private Publisher<Object> published(@Nullable Object returned, @Nullable Lease lease) {
        if (returned == null) {
            return Flux.empty();
        }
        if (this.context != null && Coroutines.isFlow(returned)) {
            return Coroutines.asFlux(
                    returned, lease != null ? Coroutines.withLease(this.context, lease) : this.context);
        }
        return returned instanceof Publisher<?> publisher ? (Publisher<Object>) publisher : Flux.just(returned);
    }
}
