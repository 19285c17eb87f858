package io.github.lockstarter.leader;

import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.text.LockLog;
import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

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
        if (target == null) {
            return invocation.proceed();
        }
        Class<?> type = ClassUtils.getUserClass(target);
        LeaderSite site = this.annotations.site(type);
        Method method = AopUtils.getMostSpecificMethod(invocation.getMethod(), type);
        LeaderSite.Guarded guarded = site.methods().get(method);
        if (guarded == null) {
            return site.role() != null && LeaderSite.isLifecycle(method)
                    ? lifecycle(site.role(), type, invocation)
                    : invocation.proceed();
        }
        RoleRunner runner = runner(guarded.role(), type);
        OnLost policy = guarded.onLost() == OnLost.DEFAULT ? this.onLost : guarded.onLost();
        return switch (guarded.kind()) {
            case MONO -> ReactiveLeaderCall.mono(invocation, () -> runner.enter(policy));
            case FLUX -> ReactiveLeaderCall.flux(invocation, () -> runner.enter(policy));
            case FUTURE, DIRECT -> {
                LeaderCall call = runner.enter(policy);
                yield call != null ? run(call, invocation) : LeaderSite.skipped(method);
            }
        };
    }

    private RoleRunner runner(String written, Class<?> type) {
        LeaderElections all = this.elections.get();
        ConfigurableListableBeanFactory beans = all.context().getBeanFactory();
        return all.runnerOf(LeaderAnnotations.resolve(written, type, beans));
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
    private @Nullable Object lifecycle(String written, Class<?> type, MethodInvocation invocation) throws Throwable {
        String name = invocation.getMethod().getName();
        if (name.equals("isAutoStartup")) {
            return false;
        }
        RoleRunner runner = runner(written, type);
        boolean hasCallback = invocation.getArguments().length == 1;
        if (runner.isOnThread()) {
            return invocation.proceed();
        }
        if (hasCallback && invocation.getArguments()[0] instanceof Runnable callback) {
            // The context stops the bean, which ends the role.
            CompletionStage<?> unused = runner.stop().whenComplete((nothing, failure) -> callback.run());
        } else {
            logger.warn(
                    "The " + name + " of " + type.getName() + " is ignored, because the leader role '" + runner.role()
                            + "' starts it when it is granted and stops it when it is revoked. Call LeaderElection.start or stop.");
        }
        return null;
    }
}
