package io.github.lockstarter.leader;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Guards the subscriptions of a method that returns a Mono or a Flux. Loaded only if Reactor is present. */
final class ReactiveLeaderCall {

    private ReactiveLeaderCall() {}

    /**
     * Returns the result of a method.
     *
     * @param calls called for each subscription; returns {@code null} if this instance does not lead
     */
    static Publisher<Object> result(
            LeaderMethod method, MethodInvocation invocation, Supplier<@Nullable LeaderCall> calls) {
        Flux<Object> guarded = flux(invocation, calls);
        return method.site.returnType() == Flux.class ? guarded : guarded.singleOrEmpty();
    }

    private static Flux<Object> flux(MethodInvocation invocation, Supplier<@Nullable LeaderCall> calls) {
        return Flux.usingWhen(
                Mono.fromSupplier(calls),
                call -> published(invocation, call)
                        .contextWrite(context -> context.put(Lease.class, call.lease()))
                        .concatWith(Mono.defer(() -> {
                            LockLostException loss = call.loss();
                            return loss != null ? Mono.error(loss) : Mono.empty();
                        })),
                call -> Mono.fromRunnable(call::exit),
                (call, failure) -> Mono.fromRunnable(call::exit),
                call -> Mono.fromRunnable(call::exit));
    }

    @SuppressWarnings("NullAway") // does not recognize nullable type arguments
    private static Flux<Object> published(MethodInvocation invocation, LeaderCall call) {
        return Flux.defer(() -> {
            try {
                // The invocation of a proxy can proceed only once, and there may be several subscriptions.
                MethodInvocation once =
                        invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
                @SuppressWarnings("unchecked")
                Publisher<Object> work = (Publisher<Object>)
                        LeaseContext.<@Nullable Object, Throwable>call(call.lease(), lease -> once.proceed());
                return work != null ? work : Flux.empty();
            } catch (Throwable ex) {
                return Flux.error(ex);
            }
        });
    }
}
