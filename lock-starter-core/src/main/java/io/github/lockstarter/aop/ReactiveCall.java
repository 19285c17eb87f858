package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotGrantedException;
import io.github.lockstarter.tx.LockSequence;
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
 * Runs one subscription to a method whose work is a publisher or can be turned into one: Mono, Flux, Kotlin's Flow, and suspend
 * functions, for which Spring's proxies convert the publisher that an interceptor returns. Each subscription acquires the locks
 * for itself without blocking, calls the method, and releases the locks when the returned publisher has terminated or was
 * cancelled.
 *
 * <p>The locks are acquired one after the other; each request is sent by the thread that completes the one before. A
 * cancellation may arrive at any time on any thread, and Reactor silently drops a value that is emitted during one. Therefore
 * the publisher must take the leases from {@link #granted}; those that are not taken are released.
 */
final class ReactiveCall {

    private final LockedCall call;

    private final Body body;

    private final LockSequence locks;

    /** Set from the last grant until the publisher that works under the leases takes them. */
    private final AtomicBoolean granted = new AtomicBoolean();

    private final AtomicReference<@Nullable LockLostException> lost = new AtomicReference<>();

    private volatile boolean cancelled;

    private volatile @Nullable CompletableFuture<Lease> pending;

    private ReactiveCall(LockedCall call, Body body) {
        this.call = call;
        this.body = body;
        this.locks = call.locks;
    }

    /**
     * Returns the result of the method, which does nothing before it is subscribed to or collected.
     *
     * @param calls called once for each subscription
     */
    static Object result(LockedMethod method, MethodInvocation invocation, Supplier<LockedCall> calls) {
        LockSite site = method.site();
        if (site.isSuspending()) {
            if (!(invocation instanceof ProxyMethodInvocation)) {
                throw new LockException(
                        "Lock of " + site + " is not acquired, and the method was not run: it is a suspend"
                                + " function, whose lock requires a Spring proxy. Call the function on the Spring bean, with"
                                + " distributed-lock.mode=proxy.");
            }
            Flux<Object> locked = publisher(calls, ReactiveCall::runSuspending);
            return site.returnsFlow() ? locked : locked.singleOrEmpty();
        }
        if (site.returnsFlow()) {
            return Coroutines.flow(context -> publisher(calls, new FlowBody(context)));
        }
        Flux<Object> locked =
                publisher(calls, (call, lease) -> published(repeatable(call).proceed()));
        return site.returnType() == Mono.class ? locked.singleOrEmpty() : locked;
    }

    private static Flux<Object> publisher(Supplier<LockedCall> calls, Body body) {
        return Flux.defer(() -> {
            LockedCall call = calls.get();
            ReactiveCall subscription = new ReactiveCall(call, body);
            return call.isUnlocked() ? subscription.proceed(null) : subscription.runUnderLocks();
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
            next = this.call.registry.acquireAsync(this.locks.next()).toCompletableFuture();
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

    private Publisher<Object> proceed(@Nullable Lease lease) {
        try {
            return this.body.run(this.call, lease);
        } catch (Throwable ex) {
            return Flux.error(ex);
        }
    }

    private Publisher<Object> notGranted(LockNotGrantedException failure) {
        if (this.locks.isBegun()) {
            return Flux.error(failure);
        }
        try {
            return this.body.replaced(this.call.notGranted(failure));
        } catch (Throwable ex) {
            return Flux.error(ex);
        }
    }

    /** Releases the leases and emits the loss that must be reported, if there is one. */
    private Mono<LockLostException> release() {
        return Mono.fromCompletionStage(this.locks::release);
    }

    private static Publisher<Object> runSuspending(LockedCall call, @Nullable Lease lease) throws Throwable {
        if (lease == null) {
            return published(repeatable(call).proceed());
        }
        return published(((ProxyMethodInvocation) call.invocation)
                .invocableClone(Coroutines.withLease(call.invocation.getArguments(), lease))
                .proceed());
    }

    /** Returns an invocation that can proceed once more; that of a proxy can do so only once. */
    private static MethodInvocation repeatable(LockedCall call) {
        return call.invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : call.invocation;
    }

    /** Returns a result as a publisher: the result may be one, no value, or a single value. */
    @SuppressWarnings("unchecked")
    private static Publisher<Object> published(@Nullable Object returned) {
        if (returned == null) {
            return Flux.empty();
        }
        return returned instanceof Publisher<?> publisher ? (Publisher<Object>) publisher : Flux.just(returned);
    }

    /** The work of one subscription. */
    @FunctionalInterface
    private interface Body {

        /**
         * Calls the method and returns its work. There may be several subscriptions.
         *
         * @param lease null if no condition is met
         */
        Publisher<Object> run(LockedCall call, @Nullable Lease lease) throws Throwable;

        /** Returns the result of a call that was not run because its lock was not granted. */
        default Publisher<Object> replaced(@Nullable Object result) {
            return published(result);
        }
    }

    /**
     * The body of a Flow, in the coroutine context of its collector.
     *
     * @param context without a job
     */
    private record FlowBody(Object context) implements Body {

        @Override
        public Publisher<Object> run(LockedCall call, @Nullable Lease lease) throws Throwable {
            Object returned = repeatable(call).proceed();
            return asPublisher(returned, lease != null ? Coroutines.withLease(this.context, lease) : this.context);
        }

        @Override
        public Publisher<Object> replaced(@Nullable Object result) {
            return asPublisher(result, this.context);
        }

        private static Publisher<Object> asPublisher(@Nullable Object returned, Object context) {
            return returned != null && Coroutines.isFlow(returned)
                    ? Coroutines.asFlux(returned, context)
                    : published(returned);
        }
    }
}
