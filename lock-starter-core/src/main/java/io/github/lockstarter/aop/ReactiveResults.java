package io.github.lockstarter.aop;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Runs methods whose work is a publisher or can be turned into one: Mono, Flux, Kotlin's Flow, and suspend functions, for
 * which Spring's proxies convert the publisher that an interceptor returns.
 */
final class ReactiveResults {

    private ReactiveResults() {}

    /**
     * Returns the result of the call, which does nothing before it is subscribed to or collected.
     *
     * @param calls called once for each subscription
     */
    static Object of(LockedMethod method, MethodInvocation invocation, Supplier<LockedInvocation> calls) {
        LockSite site = method.site();
        if (site.isSuspending()) {
            if (!(invocation instanceof ProxyMethodInvocation)) {
                throw new LockException(
                        "Lock of " + site + " is not acquired, and the method was not run: it is a suspend"
                                + " function, whose lock requires a Spring proxy. Call the function on the Spring bean, with"
                                + " distributed-lock.mode=proxy.");
            }
            Flux<Object> locked = new ReactiveExecution(calls, ReactiveResults::runSuspending).publisher();
            return site.returnsFlow() ? locked : locked.singleOrEmpty();
        }
        if (site.returnsFlow()) {
            return Coroutines.flow(context -> new ReactiveExecution(calls, new FlowBody(context)).publisher());
        }
        Flux<Object> locked = new ReactiveExecution(
                        calls, (call, lease) -> published(call.repeatable().proceed()))
                .publisher();
        return site.returnType() == Mono.class ? locked.singleOrEmpty() : locked;
    }

    private static Publisher<Object> runSuspending(LockedInvocation call, @Nullable Lease lease) throws Throwable {
        MethodInvocation invocation = lease != null
                ? call.repeatable(Coroutines.withLease(call.invocation().getArguments(), lease))
                : call.repeatable();
        return published(invocation.proceed());
    }

    /** Returns a result as a publisher: the result may be one, no value, or a single value. */
    @SuppressWarnings("unchecked")
    static Publisher<Object> published(@Nullable Object returned) {
        if (returned == null) {
            return Flux.empty();
        }
        return returned instanceof Publisher<?> publisher ? (Publisher<Object>) publisher : Flux.just(returned);
    }

    /** The work of one subscription. */
    @FunctionalInterface
    interface Body {

        /**
         * Calls the method and returns its work. There may be several subscriptions.
         *
         * @param lease null if no condition is met
         */
        Publisher<Object> run(LockedInvocation call, @Nullable Lease lease) throws Throwable;

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
        public Publisher<Object> run(LockedInvocation call, @Nullable Lease lease) throws Throwable {
            Object returned = call.repeatable().proceed();
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
