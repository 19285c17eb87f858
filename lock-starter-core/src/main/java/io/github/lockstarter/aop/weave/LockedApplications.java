package io.github.lockstarter.aop.weave;

import io.github.lockstarter.LockException;
import io.github.lockstarter.aop.metadata.LockSite;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The open application contexts of this JVM, and which of them a call of a woven method belongs to. Woven code has
 * nothing else to begin with: the aspect is one for all of them.
 */
public final class LockedApplications {

    private static final List<Supplier<@Nullable LockedApplication>> OPEN = new CopyOnWriteArrayList<>();

    private LockedApplications() {}

    public static void open(LockedApplication application) {
        close(application);
        // Woven beans need it for as long as they are; without weaving, one that nobody closes can go.
        OPEN.add(application.isWeaving() ? () -> application : new WeakReference<>(application)::get);
    }

    public static void close(LockedApplication application) {
        OPEN.removeIf(reference -> {
            LockedApplication present = reference.get();
            return present == null || present == application;
        });
    }

    public static @Nullable Object call(MethodInvocation call) throws Throwable {
        Iterator<Supplier<@Nullable LockedApplication>> open = OPEN.iterator();
        LockedApplication first = open.hasNext() ? open.next().get() : null;
        return (first != null && !open.hasNext() ? first : oneOfSeveral(call)).call(call);
    }

    private static LockedApplication oneOfSeveral(MethodInvocation call) {
        List<LockedApplication> present = new ArrayList<>();
        for (Supplier<@Nullable LockedApplication> reference : OPEN) {
            LockedApplication application = reference.get();
            if (application != null) {
                present.add(application);
            }
        }
        return oneOf(present, call);
    }

    private static LockedApplication oneOf(List<LockedApplication> candidates, MethodInvocation call) {
        Object target = call.getThis();
        List<LockedApplication> weaving = new ArrayList<>(candidates.size());
        for (LockedApplication application : candidates) {
            if (target != null && application.owns(target)) {
                return application;
            }
            if (application.isWeaving()) {
                weaving.add(application);
            }
        }
        if (weaving.size() == 1) {
            return weaving.get(0);
        }
        if (candidates.isEmpty()) {
            throw refused(
                    call,
                    "no application context is open that could give it",
                    "Call the method after the context has been created and before it is closed.");
        }
        if (weaving.isEmpty()) {
            return candidates.get(0);
        }
        throw refused(
                call,
                weaving.size() + " application contexts are open, and the method belongs to a bean of none of them",
                "Call it on a bean that has been constructed, or close the contexts that are no longer used.");
    }

    private static LockException refused(MethodInvocation call, String problem, String remedy) {
        Class<?> type = call.getMethod().getDeclaringClass();
        LockSite site = new LockSite(type, call.getMethod());
        return new LockException(
                "Lock of " + site + " is not acquired, and the method was not run: " + problem + ". " + remedy);
    }
}
