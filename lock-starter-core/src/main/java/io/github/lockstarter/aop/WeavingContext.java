package io.github.lockstarter.aop;

import io.github.lockstarter.LockException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/**
 * Runs the calls of woven methods that belong to one application context. There is one aspect for all contexts of a
 * JVM, so it determines here to which of them a call belongs: to the only open context, or to the context of the bean.
 * Rejects locked methods that no weaver has changed: they would run without lock. Thread-safe.
 */
final class WeavingContext {

    private static final String MODE = "distributed-lock.mode=aspectj, ";

    private static final List<Supplier<@Nullable WeavingContext>> OPEN = new CopyOnWriteArrayList<>();

    private final LockedMethodSource methods;

    private final DistributedLockInterceptor interceptor;

    /** The beans that have woven methods. */
    private final Set<BeanReference> beans = ConcurrentHashMap.newKeySet();

    private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

    private volatile boolean active;

    /**
     * Creates the context, which is not active.
     *
     * @param interceptor shared with the proxies of the application context
     */
    WeavingContext(LockedMethodSource methods, DistributedLockInterceptor interceptor) {
        this.methods = methods;
        this.interceptor = interceptor;
    }

    /** Sets whether woven methods acquire their locks; if not, proxies do so or locks are disabled. */
    void setActive(boolean active) {
        this.active = active;
    }

    /** Registers the application context. */
    void open() {
        close();
        // Woven beans need an active context as long as they exist; any other can be collected if it is never closed.
        OPEN.add(this.active ? () -> this : new WeakReference<>(this)::get);
    }

    /** Removes the application context; has no effect if it is not open. */
    void close() {
        OPEN.removeIf(reference -> {
            WeavingContext present = reference.get();
            return present == null || present == this;
        });
    }

    /** Registers a bean that has woven methods, which assigns its calls to this context if several are open. */
    void add(Object bean, List<LockedMethod> methodsOfBean) {
        if (methodsOfBean.stream().anyMatch(method -> method.woven)) {
            for (Reference<?> gone = this.collected.poll(); gone != null; gone = this.collected.poll()) {
                this.beans.remove(gone);
            }
            this.beans.add(new BeanReference(bean, this.collected));
        }
    }

    /** Runs a call in the context to which it belongs. */
    static @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        WeavingContext context = contextOf(invocation);
        LockedMethod method = context.active ? context.find(invocation) : null;
        return method != null ? context.interceptor.invoke(method, invocation) : invocation.proceed();
    }

    /** Returns the locked method that is called, or {@code null} if there is none. */
    private @Nullable LockedMethod find(MethodInvocation invocation) {
        Method called = invocation.getMethod();
        Object target = invocation.getThis();
        LockedMethod method = this.methods.find(called, target != null ? AopUtils.getTargetClass(target) : null);
        if (method == null || (method.woven && !method.site.method().equals(called))) {
            // The method is not locked, or super is called: the overriding method has acquired the lock, as with
            // proxies.
            return null;
        }
        method.checkResult();
        return method;
    }

    private static WeavingContext contextOf(MethodInvocation invocation) {
        Object target = invocation.getThis();
        WeavingContext open = null;
        WeavingContext locking = null;
        int count = 0;
        for (Supplier<@Nullable WeavingContext> reference : OPEN) {
            WeavingContext context = reference.get();
            if (context != null) {
                if (target != null && context.beans.contains(new BeanReference(target, null))) {
                    return context;
                }
                open = context;
                locking = context.active ? context : locking;
                count += context.active ? 1 : 0;
            }
        }
        if (open == null) {
            throw failure(
                    invocation,
                    "no application context is open",
                    "Call the method after the context has been created and before it is closed.");
        }
        if (count > 1) {
            throw failure(
                    invocation,
                    count + " application contexts are open, and the target is not a bean of any of them",
                    "Call the method on a bean that has been constructed, or close the contexts that are no longer"
                            + " used.");
        }
        return locking != null ? locking : open;
    }

    private static LockException failure(MethodInvocation invocation, String problem, String remedy) {
        Class<?> type = invocation.getMethod().getDeclaringClass();
        LockSite site = new LockSite(type, invocation.getMethod());
        return new LockException(
                "Lock of " + site + " is not acquired, and the method was not run: " + problem + ". " + remedy);
    }

    // ---- The start

    /** Checks the locked methods of a bean and reads their annotations. */
    static void checkWoven(List<LockedMethod> methodsOfBean) {
        for (LockedMethod method : methodsOfBean) {
            method.specs();
            method.checkResult();
            checkWoven(method);
        }
    }

    private static void checkWoven(LockedMethod locked) {
        LockSite site = locked.site;
        Method method = site.method();
        if (site.isSuspending()) {
            // Its code is entered again after each suspension, and advice around it as often.
            throw site.rejection(
                    MODE + "but the method is a suspend function, and a lock cannot be woven into one",
                    "Call LockRegistry.acquireAsync in the function, annotate a method that is not suspending, or set"
                            + " distributed-lock.mode=proxy.");
        }
        if (locked.woven) {
            return;
        }
        if (!LockAnnotations.isDeclaredOn(locked.classLevel ? method.getDeclaringClass() : method)) {
            throw site.rejection(
                    MODE + "but the annotation is inherited, and a weaver finds only declared annotations",
                    "Annotate the method itself" + (locked.classLevel ? " or the class that declares it" : "")
                            + ", or set distributed-lock.mode=proxy.");
        }
        throw site.rejection(
                MODE + "but the method has not been woven",
                "Start the JVM with -javaagent:aspectjweaver.jar (the file of org.aspectj:aspectjweaver). If the agent"
                        + " is present, check the application's aop.xml: it must include the package "
                        + method.getDeclaringClass().getPackageName() + " and must not exclude the aspect "
                        + WeavingContext.class.getPackageName() + ".DistributedLockAspect. A weaver changes no abstract"
                        + " methods, and finds at most two levels of composed annotations. Otherwise set"
                        + " distributed-lock.mode=proxy.");
    }

    /** Refers weakly to a bean, which is compared by identity. */
    private static final class BeanReference extends WeakReference<Object> {

        private final int hash;

        BeanReference(Object bean, @Nullable ReferenceQueue<Object> queue) {
            super(bean, queue);
            this.hash = System.identityHashCode(bean);
        }

        @Override
        public int hashCode() {
            return this.hash;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            Object bean = get();
            return this == other
                    || (bean != null && other instanceof BeanReference reference && reference.get() == bean);
        }
    }
}
