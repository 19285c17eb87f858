package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The open application contexts of this JVM. There is one aspect for all of them, so it determines here to which
 * context a call of a woven method belongs: to the only one that is open, or to that of the bean. Thread-safe.
 */
final class WeavingContexts {

    private static final List<Supplier<@Nullable WeavingContext>> OPEN = new CopyOnWriteArrayList<>();

    private WeavingContexts() {}

    /** Registers an application context. */
    public static void open(WeavingContext context) {
        close(context);
        // Woven beans need an active context as long as they exist; any other can be collected if it is never closed.
        OPEN.add(context.isActive() ? () -> context : new WeakReference<>(context)::get);
    }

    /** Removes an application context; has no effect if it is not open. */
    public static void close(WeavingContext context) {
        OPEN.removeIf(reference -> {
            WeavingContext present = reference.get();
            return present == null || present == context;
        });
    }

    static @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Iterator<Supplier<@Nullable WeavingContext>> open = OPEN.iterator();
        WeavingContext first = open.hasNext() ? open.next().get() : null;
        return (first != null && !open.hasNext() ? first : contextOf(invocation)).invoke(invocation);
    }

    private static WeavingContext contextOf(MethodInvocation invocation) {
        List<WeavingContext> present = new ArrayList<>();
        for (Supplier<@Nullable WeavingContext> reference : OPEN) {
            WeavingContext context = reference.get();
            if (context != null) {
                present.add(context);
            }
        }
        return contextOf(invocation, present);
    }

    private static WeavingContext contextOf(MethodInvocation invocation, List<WeavingContext> candidates) {
        Object target = invocation.getThis();
        List<WeavingContext> active = new ArrayList<>(candidates.size());
        for (WeavingContext context : candidates) {
            if (target != null && context.owns(target)) {
                return context;
            }
            if (context.isActive()) {
                active.add(context);
            }
        }
        if (active.size() == 1) {
            return active.get(0);
        }
        if (candidates.isEmpty()) {
            throw failure(
                    invocation,
                    "no application context is open",
                    "Call the method after the context has been created and before it is closed.");
        }
        if (active.isEmpty()) {
            return candidates.get(0);
        }
        throw failure(
                invocation,
                active.size() + " application contexts are open, and the target is not a bean of any of them",
                "Call the method on a bean that has been constructed, or close the contexts that are no longer used.");
    }

    private static LockException failure(MethodInvocation invocation, String problem, String remedy) {
        Class<?> type = invocation.getMethod().getDeclaringClass();
        LockSite site = new LockSite(type, invocation.getMethod());
        return new LockException(
                "Lock of " + site + " is not acquired, and the method was not run: " + problem + ". " + remedy);
    }
}
