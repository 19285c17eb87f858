package io.github.lockstarter.registry;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockHealth;
import io.github.lockstarter.LockHealth.Status;
import io.github.lockstarter.LockInventory.Awaited;
import io.github.lockstarter.LockInventory.Held;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.AcquisitionIds;
import io.github.lockstarter.engine.Engine;
import io.github.lockstarter.engine.Wait;
import io.github.lockstarter.lock.Grant;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.store.Command;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.MessageStatus;
import io.github.lockstarter.store.Reply;
import io.github.lockstarter.text.Printable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports the locks that one run holds and waits for, and its health: whether it accepts acquisitions, whether the
 * store answers, and whether renewals are in time.
 */
final class Inventory {

    /**
     * The name of the lock that a check acquires for a millisecond. A store that answers a question may still refuse
     * locks. In a cluster, this checks the node of its slot.
     */
    private static final String CHECKED = "lock-starter-health";

    /** The ids of checks, which no message concerns. */
    private final AcquisitionIds ids = new AcquisitionIds();

    /** Time for which the last check of the store is good enough. */
    private static final long FRESH = TimeUnit.SECONDS.toNanos(1);

    private static final long PATIENCE_MILLIS = 10;

    private final Engine engine;

    private final LockEvents events;

    private final LockStore store;

    private final LockSettings settings;

    /** The check that has no reply yet, or {@code null} if there is none. */
    private final AtomicReference<@Nullable Check> open = new AtomicReference<>();

    /** The last check with a reply or a failure, or {@code null} if there was none. */
    private volatile @Nullable Check last;

    private volatile long answeredAt = Moment.BEFORE;

    Inventory(Engine engine, LockEvents events, LockStore store, LockSettings settings) {
        this.engine = engine;
        this.events = events;
        this.store = store;
        this.settings = settings;
    }

    // ---- What is held and awaited

    /**
     * Returns the live grants of a lock.
     *
     * @param lockName name of the lock, or {@code null} for all locks
     */
    List<Held> held(@Nullable String lockName) {
        List<Held> all = new ArrayList<>();
        Moment now = this.engine.now();
        this.engine.forEachGrant(lockName, grant -> addIfHeld(grant, now, all));
        return all;
    }

    private static void addIfHeld(Grant grant, Moment now, List<Held> all) {
        if (!grant.isHeld(now)) {
            return;
        }
        LockRequest lock = grant.request;
        all.add(new Held(
                lock.lockName(),
                lock.mode(),
                lock.weight(),
                grant.token,
                LeaseHandle.stateOf(grant),
                millis(now.nanos() - grant.grantedAt),
                millis(grant.remaining(now)),
                grant.renewUntil > now.nanos(),
                grant.renewals,
                ThreadHolds.threadName(grant),
                grant.isReleaseRequested()));
    }

    /** Visits the live grants with the static name of the lock and the nanoseconds since the grant began. */
    void forEachHold(ObjLongConsumer<String> visitor) {
        long now = this.engine.now().nanos();
        this.engine.forEachGrant(
                null, grant -> visitor.accept(grant.request.name(), Math.max(0, now - grant.grantedAt)));
    }

    /**
     * Returns the waiters of a lock, with one entry for each mode.
     *
     * @param lockName name of the lock, or {@code null} for all locks
     */
    List<Awaited> awaited(@Nullable String lockName) {
        Map<Map.Entry<String, LockMode>, Awaited> all = new LinkedHashMap<>();
        long now = this.engine.now().nanos();
        this.engine.forEachWait(
                lockName,
                wait -> all.merge(
                        Map.entry(wait.request.lockName(), wait.kind.mode()), awaited(wait, now), Inventory::sum));
        return List.copyOf(all.values());
    }

    int waiting() {
        int[] count = new int[1];
        this.engine.forEachWait(null, wait -> count[0]++);
        return count[0];
    }

    private static Awaited awaited(Wait wait, long now) {
        return new Awaited(wait.request.lockName(), wait.kind.mode(), 1, millis(now - wait.enteredAt));
    }

    /** Adds waiters for the same lock. The result has the longest of both waiting times. */
    static Awaited sum(Awaited one, Awaited other) {
        Awaited first = one.longest().compareTo(other.longest()) >= 0 ? one : other;
        return new Awaited(first.name(), first.mode(), one.waiters() + other.waiters(), first.longest());
    }

    private static Duration millis(long nanos) {
        return Duration.ofMillis(Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    // ---- Health

    /** One check whether the store answers. */
    private record Check(long at, @Nullable Throwable failure, CompletableFuture<Check> end) {}

    LockHealth health() {
        Check store = check();
        long answered = Math.max(this.answeredAt, this.engine.repliedAt());
        Duration lag = this.engine.lag();
        String problem = problem(store, lag);
        Status status = problem != null ? Status.DOWN : store == null ? Status.UNKNOWN : Status.UP;
        List<Held> held = held(null);
        MessageStatus messages = this.store.messages();
        return new LockHealth(
                status,
                status == Status.UNKNOWN ? "The store has been asked, and has not answered yet." : problem,
                this.store.description(),
                answered != Moment.BEFORE ? Duration.ofNanos(this.engine.now().nanos() - answered) : null,
                held.size(),
                (int) held.stream()
                        .filter(each -> each.state() == Lease.State.AT_RISK)
                        .count(),
                waiting(),
                lag,
                this.events.losses(),
                this.events.lastLoss(),
                messages != null ? messages.describe() : null);
    }

    private @Nullable String problem(@Nullable Check store, Duration lag) {
        if (this.engine.isStopped()) {
            return "The lock registry has been stopped.";
        }
        Throwable failure = store != null ? store.failure() : null;
        if (failure != null) {
            return "The store does not answer: " + failure.getMessage();
        }
        // With a longer delay, a renewal has no time left for a second attempt.
        return lag.compareTo(this.settings.shortestInterval()) > 0
                ? "The watchdog is " + lag.toMillis() + " ms late: leases are not renewed in time."
                : null;
    }

    /**
     * Returns the last check. If it is older than a second, this method first starts another check and waits for it for
     * at most 10 ms. A check that is overdue counts as failed.
     *
     * @return the check, or {@code null} if there was none so far
     */
    private @Nullable Check check() {
        Check known = this.last;
        if (known == null || this.engine.now().nanos() - known.at() >= FRESH) {
            await(ask());
        }
        Check overdue = this.open.get();
        long late = overdue != null ? this.engine.now().nanos() - overdue.at() : 0;
        if (overdue != null && late >= this.settings.commandTimeout().toNanos()) {
            Throwable failure =
                    new TimeoutException(Printable.of("no answer for " + TimeUnit.NANOSECONDS.toMillis(late) + " ms"));
            return new Check(overdue.at(), failure, overdue.end());
        }
        return this.last;
    }

    private Check ask() {
        Check mine = new Check(this.engine.now().nanos(), null, new CompletableFuture<>());
        Check others = this.open.compareAndExchange(null, mine);
        if (others != null) {
            return others;
        }
        CompletionStage<?> unused = this.store
                .send(new Command.Acquire(CHECKED, this.ids.next(), 1, false))
                .whenComplete((reply, failure) -> answered(mine, reply, failure));
        return mine;
    }

    private void answered(Check check, @Nullable Reply reply, @Nullable Throwable failure) {
        long now = this.engine.now().nanos();
        Check ended = new Check(now, failure, check.end());
        if (reply != null) {
            this.answeredAt = now;
        }
        this.last = ended;
        this.open.set(null);
        check.end().complete(ended);
    }

    private static void await(Check check) {
        try {
            check.end().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException | ExecutionException | CancellationException ex) {
            // The result of the previous check is used.
        }
    }
}
