package io.github.lockstarter.test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseContext;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockInventory;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockLostEvent;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredEvent;
import io.github.lockstarter.LockReleasedEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.registry.AcquireObserver;
import io.github.lockstarter.registry.LeasingLockRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The order in which the threads of an application context acquire names of locks: a graph without circles, whose edges
 * lead from a name that was held to one that was requested then. A request that would close a circle is an inversion,
 * and adds no edge, so that it is found again in each test that makes it. Thread-safe.
 */
final class LockOrder implements AcquireObserver, LockListener {

    /** A lock that was granted, and where. */
    private record Granted(LockRequest request, long token, boolean isBlocking, Throwable stack) {

        String name() {
            return this.request.name();
        }

        /** Returns whether one call acquires this lock, and after it the requested one. */
        boolean isBeforeInCall(LockRequest requested) {
            LockRequest own = this.request;
            boolean isPermit = own.mode() == LockMode.PERMIT;
            return requested.method() != null
                    && requested.method().equals(own.method())
                    && (isPermit != (requested.mode() == LockMode.PERMIT)
                            ? isPermit
                            : own.lockName().compareTo(requested.lockName()) < 0);
        }
    }

    /** A request for a name by a thread that held another one. */
    private record Edge(String held, String requested, Throwable stack) {}

    private final ObjectProvider<LeasingLockRegistry> registry;

    private final ObjectProvider<AcquireObserver> observers;

    /** The locks that were granted to each thread, without those that were found to be released. */
    private final ThreadLocal<List<Granted>> ofThread = ThreadLocal.withInitial(ArrayList::new);

    /** The locks that are held, by name and token. The last events of a lock may not have arrived. */
    private final ConcurrentMap<String, Granted> byToken = new ConcurrentHashMap<>();

    /** The edges that begin at each name. Guarded by itself. */
    private final Map<String, Map<String, Edge>> edges = new HashMap<>();

    private final AtomicReference<@Nullable AssertionError> inversion = new AtomicReference<>();

    LockOrder(ObjectProvider<LeasingLockRegistry> registry, ObjectProvider<AcquireObserver> observers) {
        this.registry = registry;
        this.observers = observers;
    }

    /** Throws the first inversion since the previous call, if there is one. */
    void throwInversion() {
        AssertionError found = this.inversion.getAndSet(null);
        if (found != null) {
            throw found;
        }
    }

    // ---- Acquisitions

    @Override
    public Acquiring began(LockRequest request, String instance) {
        AcquireObserver other = this.observers.stream()
                .filter(observer -> observer != this)
                .findFirst()
                .orElse(AcquireObserver.NONE);
        Throwable stack = new Throwable("Lock '" + request.name() + "' is requested in thread '"
                + Thread.currentThread().getName() + "'");
        if (!Duration.ZERO.equals(request.waitTime())) {
            held(request).forEach(held -> requested(held, request.name(), stack));
        }
        return new Observed(other.began(request, instance), request, stack);
    }

    /** One acquisition. All calls reach the observer of the application as well. */
    private final class Observed implements Acquiring {

        private final Acquiring other;

        private final LockRequest request;

        private final Throwable stack;

        private boolean isBlocking;

        Observed(Acquiring other, LockRequest request, Throwable stack) {
            this.other = other;
            this.request = request;
            this.stack = stack;
        }

        @Override
        public void enter() {
            this.isBlocking = true;
            this.other.enter();
        }

        @Override
        public void leave() {
            this.other.leave();
        }

        @Override
        public void granted(long fencingToken) {
            this.other.granted(fencingToken);
            Granted granted = new Granted(this.request, fencingToken, this.isBlocking, this.stack);
            List<Granted> mine = LockOrder.this.ofThread.get();
            // A thread that completes futures completes one after the other, so that a stage follows the last of them.
            mine.removeIf(each -> each.request.lockName().equals(this.request.lockName()) || !each.isBlocking);
            mine.add(granted);
            LockOrder.this.byToken.put(key(this.request.lockName(), fencingToken), granted);
        }

        @Override
        public void notGranted(
                LockNotAcquiredEvent.Outcome outcome, @Nullable Throwable cause, @Nullable LockHolder holder) {
            this.other.notGranted(outcome, cause, holder);
        }
    }

    // ---- Holds

    /** Returns the locks that the request of this thread follows. */
    private List<Granted> held(LockRequest requested) {
        List<Granted> mine = this.ofThread.get();
        mine.removeIf(granted -> !isOwned(granted) && !isLease(granted));
        List<Granted> held = new ArrayList<>(mine.stream()
                // The work of an annotated method may go on elsewhere: while it runs here, its lease is the current
                // one.
                .filter(granted ->
                        granted.request.method() == null || granted.isBeforeInCall(requested) || isOwned(granted))
                .toList());
        LeaseContext.current()
                .filter(lease -> lease.state() != Lease.State.RELEASED && lease.state() != Lease.State.LOST)
                .map(lease -> this.byToken.get(key(lease.name(), lease.fencingToken())))
                .ifPresent(held::add);
        return held;
    }

    private boolean isOwned(Granted granted) {
        return registry().getOwnedLock(granted.request).isHeldByCurrentThread();
    }

    /**
     * Returns whether the lock is held by a lease that belongs to no thread. Readers can share a token, and so can
     * permits, so that their leases cannot be told apart.
     */
    private boolean isLease(Granted granted) {
        return granted.request.mode() == LockMode.WRITE
                && holds(granted.request.lockName(), granted.token).anyMatch(held -> held.owner() == null);
    }

    private Stream<LockInventory.Held> holds(String lockName, long token) {
        return registry().held().stream()
                .filter(held -> held.fencingToken() == token && held.name().equals(lockName));
    }

    private LeasingLockRegistry registry() {
        return this.registry.getObject();
    }

    private static String key(String lockName, long token) {
        return lockName + '#' + token;
    }

    @Override
    public void released(LockReleasedEvent event) {
        ended(event);
    }

    @Override
    public void lost(LockLostEvent event) {
        ended(event);
    }

    private void ended(LockEvent.OfGrant event) {
        boolean isShared = event.grant().request().mode() != LockMode.WRITE
                && holds(event.lockName(), event.fencingToken()).findAny().isPresent();
        if (!isShared) {
            this.byToken.remove(key(event.lockName(), event.fencingToken()));
        }
    }

    // ---- Order

    private void requested(Granted held, String requested, Throwable stack) {
        if (held.name().equals(requested)) {
            return;
        }
        synchronized (this.edges) {
            List<Edge> back = path(requested, held.name());
            if (back.isEmpty()) {
                this.edges
                        .computeIfAbsent(held.name(), name -> new LinkedHashMap<>())
                        .computeIfAbsent(requested, name -> edge(held, requested, stack));
            } else {
                this.inversion.compareAndSet(null, inversion(edge(held, requested, stack), back));
            }
        }
    }

    private static Edge edge(Granted held, String requested, Throwable stack) {
        Throwable both = new Throwable(stack.getMessage() + " that holds '" + held.name() + "'");
        both.setStackTrace(stack.getStackTrace());
        both.addSuppressed(held.stack);
        return new Edge(held.name(), requested, both);
    }

    /** Returns the shortest way along the edges, which is empty if there is none. */
    private List<Edge> path(String from, String to) {
        Map<String, Edge> reachedBy = new HashMap<>();
        Deque<String> open = new ArrayDeque<>(List.of(from));
        while (!open.isEmpty() && !reachedBy.containsKey(to)) {
            for (Edge edge : this.edges.getOrDefault(open.remove(), Map.of()).values()) {
                if (reachedBy.putIfAbsent(edge.requested, edge) == null) {
                    open.add(edge.requested);
                }
            }
        }
        Deque<Edge> path = new ArrayDeque<>();
        for (String name = to; reachedBy.containsKey(to) && !name.equals(from); ) {
            Edge edge = Objects.requireNonNull(reachedBy.get(name));
            path.addFirst(edge);
            name = edge.held;
        }
        return List.copyOf(path);
    }

    private static AssertionError inversion(Edge last, List<Edge> before) {
        String message =
                "Locks are acquired in two orders, in which calls can wait for each other until their waits end: "
                        + text(last) + " here, but "
                        + before.stream().map(LockOrder::text).collect(Collectors.joining(", "))
                        + " earlier. Acquire them in one order, or by one call. The stacks of all requests follow.";
        AssertionError error = new AssertionError(message, last.stack);
        error.setStackTrace(last.stack.getStackTrace());
        before.forEach(edge -> error.addSuppressed(edge.stack));
        return error;
    }

    private static String text(Edge edge) {
        return "'" + edge.held + "' before '" + edge.requested + "'";
    }
}
