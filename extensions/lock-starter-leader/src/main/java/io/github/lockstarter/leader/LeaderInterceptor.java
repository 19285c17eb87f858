package io.github.lockstarter.leader;

import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.aop.ResultKind;
import io.github.lockstarter.text.LockLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Runs guarded methods on the leader only, and lets the role start and stop its lifecycle beans. Thread-safe. */
final class LeaderInterceptor implements MethodInterceptor {

    private static final LockLog logger = LockLog.of(LeaderInterceptor.class);

    private final LeaderAnnotations annotations;

    private final Supplier<LeaderElections> elections;

    private final OnLost onLost;

    /**
     * Creates an interceptor.
     *
     * @param elections called at the first call of a guarded method
     * @param onLost what applies to methods whose annotation does not set it
     */
    LeaderInterceptor(LeaderAnnotations annotations, Supplier<LeaderElections> elections, OnLost onLost) {
        this.annotations = annotations;
        this.elections = elections;
        this.onLost = onLost;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        LeaderMethod method =
                this.annotations.find(invocation.getMethod(), target != null ? AopUtils.getTargetClass(target) : null);
        if (method == null) {
            return invocation.proceed();
        }
        if (method.classLevel) {
            return lifecycle(method, invocation);
        }
        RoleRunner runner = runner(method);
        OnLost policy = method.onLost == OnLost.DEFAULT ? this.onLost : method.onLost;
        if (method.resultKind == ResultKind.REACTIVE) {
            return ReactiveLeaderCall.result(method, invocation, () -> runner.enter(policy));
        }
        LeaderCall call = runner.enter(policy);
        return call != null ? run(call, invocation) : ResultKind.skipped(method.site.returnType());
    }

    private RoleRunner runner(LeaderMethod method) {
        return this.elections.get().runnerOf(this.annotations.roleOf(method));
    }

    @SuppressWarnings("NullAway") // does not recognize nullable type arguments
    private static @Nullable Object run(LeaderCall call, MethodInvocation invocation) throws Throwable {
        boolean isPending = false;
        try {
            call.beginOnThread();
            Object result;
            try {
                result = LeaseContext.<@Nullable Object, Throwable>call(call.lease(), lease -> invocation.proceed());
            } finally {
                call.endOnThread();
            }
            if (result instanceof CompletionStage<?> stage) {
                isPending = true;
                return completedAfter(call, stage);
            }
            LockLostException loss = call.loss();
            if (loss != null) {
                throw loss;
            }
            return result;
        } finally {
            if (!isPending) {
                call.exit();
            }
        }
    }

    /** Returns a future that is complete when the call has ended; the work goes on if the future is cancelled. */
    private static CompletableFuture<@Nullable Object> completedAfter(LeaderCall call, CompletionStage<?> work) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        CompletionStage<?> unused = work.whenComplete((value, failure) -> {
            LockLostException loss = call.loss();
            call.exit();
            if (failure != null && loss != null && failure != loss) {
                failure.addSuppressed(loss);
            }
            Throwable reported = failure != null ? failure : loss;
            boolean unusedResult = reported != null ? result.completeExceptionally(reported) : result.complete(value);
        });
        return result;
    }

    /** Decides about a call of the lifecycle of a bean, which only the thread of its role may start and stop. */
    private @Nullable Object lifecycle(LeaderMethod method, MethodInvocation invocation) throws Throwable {
        String name = invocation.getMethod().getName();
        if (name.equals("isAutoStartup")) {
            return false;
        }
        if (!name.equals("start") && !name.equals("stop")) {
            return invocation.proceed();
        }
        RoleRunner runner = runner(method);
        if (runner.isOnThread()) {
            return invocation.proceed();
        }
        if (invocation.getArguments().length == 1 && invocation.getArguments()[0] instanceof Runnable callback) {
            // The context stops the bean, which ends the role.
            CompletionStage<?> unused = runner.stop().whenComplete((nothing, failure) -> callback.run());
        } else {
            logger.warn("The " + name + " of " + method.site.beanClass().getName()
                    + " is ignored, because the leader role '" + runner.role()
                    + "' starts it when it is granted and stops it when it is revoked. Call LeaderElection.start or"
                    + " stop.");
        }
        return null;
    }
}
