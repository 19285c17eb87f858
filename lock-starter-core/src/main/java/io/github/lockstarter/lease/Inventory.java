package io.github.lockstarter.lease;

import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantState;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.grant.SharedGrants;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.queue.WaitingRequest;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.ThreadNames;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Lists what one run of a registry holds and awaits: from its local queues, the first of which owns the lock if that is not
 * shared, and from its shared grants.
 */
final class Inventory {

    /** Numbers of grants that are live, and of those among them that are at risk. */
    record Count(int live, int atRisk) {}

    /** What waiters wait for. */
    private record Wanted(String lockName, LockMode mode) {}

    private final LocalQueues<Grant> queues;

    private final SharedGrants shared;

    private final Losses losses;

    private final LeaseClock clock;

    Inventory(LocalQueues<Grant> queues, SharedGrants shared, Losses losses, LeaseClock clock) {
        this.queues = queues;
        this.shared = shared;
        this.losses = losses;
        this.clock = clock;
    }

    List<Held> held() {
        List<Held> all = new ArrayList<>();
        this.queues.forEach(node -> {
            Held held = heldBy(liveGrant(node));
            if (held != null) {
                all.add(held);
            }
        });
        this.shared.forEach(grant -> {
            Held held = heldBy(live(grant));
            if (held != null) {
                all.add(held);
            }
        });
        return all;
    }

    @Nullable
    Held held(String lockName) {
        QueueNode<Grant> first = this.queues.first(lockName);
        Held exclusive = first != null ? heldBy(liveGrant(first)) : null;
        if (exclusive != null) {
            return exclusive;
        }
        @Nullable Held[] longest = {null};
        this.shared.forEach(grant -> {
            Held held = grant.lockName().equals(lockName) ? heldBy(live(grant)) : null;
            Held before = longest[0];
            if (held != null && (before == null || held.heldFor().compareTo(before.heldFor()) > 0)) {
                longest[0] = held;
            }
        });
        return longest[0];
    }

    List<Awaited> awaited() {
        Map<Wanted, Awaited> all = new LinkedHashMap<>();
        this.queues.forEach(node -> {
            // Most locks have an owner and no waiters.
            if (!node.isLast() || waitsAsFirst(node)) {
                // Requests for permits wait in one queue for each number of them.
                Wanted wanted = new Wanted(node.lockName(), node.kind().mode());
                this.queues.inspectQueueOf(
                        node, first -> all.compute(wanted, (key, others) -> sum(others, awaitedIn(first))));
            }
        });
        return List.copyOf(all.values());
    }

    @Nullable
    Awaited awaited(String lockName) {
        @Nullable Awaited[] all = {null};
        this.queues.inspectAll(lockName, first -> all[0] = sum(all[0], awaitedIn(first)));
        return all[0];
    }

    /** Adds waiters for the same lock; the first of all is the one that has been waiting longest. */
    private static @Nullable Awaited sum(@Nullable Awaited one, @Nullable Awaited other) {
        if (one == null || other == null) {
            return one != null ? one : other;
        }
        Awaited first = one.longest().compareTo(other.longest()) >= 0 ? one : other;
        return new Awaited(first.name(), first.mode(), one.waiters() + other.waiters(), first.longest());
    }

    Count count() {
        int[] count = new int[2];
        this.queues.forEach(node -> count(liveGrant(node), count));
        this.shared.forEach(grant -> count(live(grant), count));
        return new Count(count[0], count[1]);
    }

    /** Visits the live grants, each with the static name of its lock and the nanoseconds since it began. */
    void forEachHold(ObjLongConsumer<String> visitor) {
        long now = this.clock.nanoTime();
        Consumer<@Nullable Grant> visit = grant -> {
            if (grant != null && grant.isLive()) {
                visitor.accept(grant.request().name(), Math.max(0, now - grant.grantedAt()));
            }
        };
        this.queues.forEach(node -> visit.accept(node.grant()));
        this.shared.forEach(visit::accept);
    }

    private static void count(@Nullable Grant grant, int[] count) {
        if (grant != null) {
            count[0]++;
            count[1] += grant.state() == GrantState.AT_RISK ? 1 : 0;
        }
    }

    private @Nullable Held heldBy(@Nullable Grant grant) {
        if (grant == null) {
            return null;
        }
        long now = this.clock.nanoTime();
        Thread owner = grant.owner();
        return new Held(
                grant.lockName(),
                grant.request().mode(),
                grant.request().weight(),
                grant.fencingToken(),
                grant.state().leaseState(),
                millis(now - grant.grantedAt()),
                millis(grant.remaining(this.clock)),
                grant.wantsRenewal(now),
                grant.renewals(),
                owner != null ? ThreadNames.of(owner) : null);
    }

    /** Returns the grant of a node; notices a deadline that has passed, as a lease does. */
    private @Nullable Grant liveGrant(QueueNode<Grant> node) {
        return live(node.grant());
    }

    private @Nullable Grant live(@Nullable Grant grant) {
        return grant != null && this.losses.isLive(grant) ? grant : null;
    }

    private @Nullable Awaited awaitedIn(QueueNode<Grant> first) {
        ArrayDeque<QueueNode<Grant>> behind = first.behind();
        QueueNode<Grant> second = behind != null ? behind.peek() : null;
        boolean firstWaits = waitsAsFirst(first);
        QueueNode<Grant> longest = firstWaits ? first : second;
        WaitingRequest waiter = longest != null ? longest.waiter() : null;
        if (waiter == null) {
            return null;
        }
        int count = (behind != null ? behind.size() : 0) + (firstWaits ? 1 : 0);
        long waited = this.clock.nanoTime() - waiter.startedAt();
        return new Awaited(first.lockName(), first.kind().mode(), count, millis(waited));
    }

    private static Duration millis(long nanos) {
        return Duration.ofMillis(Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    private static boolean waitsAsFirst(QueueNode<Grant> first) {
        WaitingRequest waiter = first.waiter();
        return first.grant() == null && waiter != null && waiter.isWaiting();
    }
}
