package io.github.lockstarter.lease;

import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantState;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.queue.WaitingRequest;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.ThreadNames;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lists what one run of a registry holds and awaits, from its local queues: the owner of a lock is the first of one. */
final class Inventory {

    /** Numbers of grants that are live, and of those among them that are at risk. */
    record Count(int live, int atRisk) {}

    private final LocalQueues<Grant> queues;

    private final Losses losses;

    private final LeaseClock clock;

    Inventory(LocalQueues<Grant> queues, Losses losses, LeaseClock clock) {
        this.queues = queues;
        this.losses = losses;
        this.clock = clock;
    }

    List<Held> held() {
        List<Held> all = new ArrayList<>();
        this.queues.forEach(node -> {
            Held held = heldBy(node);
            if (held != null) {
                all.add(held);
            }
        });
        return all;
    }

    @Nullable
    Held held(String lockName) {
        QueueNode<Grant> first = this.queues.first(lockName);
        return first != null ? heldBy(first) : null;
    }

    List<Awaited> awaited() {
        List<Awaited> all = new ArrayList<>();
        this.queues.forEach(node -> {
            // Most locks have an owner and no waiters.
            Awaited awaited = node.isLast() && !waitsAsFirst(node) ? null : awaited(node.lockName());
            if (awaited != null) {
                all.add(awaited);
            }
        });
        return all;
    }

    @Nullable
    Awaited awaited(String lockName) {
        return this.queues.inspect(lockName, this::awaitedIn);
    }

    Count count() {
        int[] count = new int[2];
        this.queues.forEach(node -> {
            Grant grant = liveGrant(node);
            if (grant != null) {
                count[0]++;
                count[1] += grant.state() == GrantState.AT_RISK ? 1 : 0;
            }
        });
        return new Count(count[0], count[1]);
    }

    private @Nullable Held heldBy(QueueNode<Grant> node) {
        Grant grant = liveGrant(node);
        if (grant == null) {
            return null;
        }
        long now = this.clock.nanoTime();
        Thread owner = grant.owner();
        return new Held(
                grant.lockName(),
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
        Grant grant = node.grant();
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
        return new Awaited(first.lockName(), count, millis(waited));
    }

    private static Duration millis(long nanos) {
        return Duration.ofMillis(Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    private static boolean waitsAsFirst(QueueNode<Grant> first) {
        WaitingRequest waiter = first.waiter();
        return first.grant() == null && waiter != null && waiter.isWaiting();
    }
}
