package io.github.lockstarter.lease;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LossReason;
import io.github.lockstarter.lease.acquire.AcquireObserver;
import io.github.lockstarter.lease.acquire.AcquireReports;
import io.github.lockstarter.lease.acquire.AcquisitionFactory;
import io.github.lockstarter.lease.acquire.AsyncAcquirer;
import io.github.lockstarter.lease.acquire.Attempts;
import io.github.lockstarter.lease.acquire.BlockingAcquirer;
import io.github.lockstarter.lease.acquire.BroughtGrants;
import io.github.lockstarter.lease.acquire.HandOverMessages;
import io.github.lockstarter.lease.acquire.HolderChecks;
import io.github.lockstarter.lease.acquire.LockHolders;
import io.github.lockstarter.lease.acquire.QueueEntrance;
import io.github.lockstarter.lease.acquire.SharedAdmission;
import io.github.lockstarter.lease.acquire.StoreGrants;
import io.github.lockstarter.lease.event.EventObservers;
import io.github.lockstarter.lease.event.ListenerQueue;
import io.github.lockstarter.lease.event.LoggingLockListener;
import io.github.lockstarter.lease.event.MeterListener;
import io.github.lockstarter.lease.grant.CheckSchedule;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantFactory;
import io.github.lockstarter.lease.grant.LeaseEvents;
import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.grant.RenewalSchedule;
import io.github.lockstarter.lease.grant.Renewer;
import io.github.lockstarter.lease.grant.SharedGrant;
import io.github.lockstarter.lease.grant.SharedGrants;
import io.github.lockstarter.lease.grant.Watchdog;
import io.github.lockstarter.lease.holder.InstanceDirectory;
import io.github.lockstarter.lease.holder.InstancePublisher;
import io.github.lockstarter.lease.holder.ThisInstance;
import io.github.lockstarter.lease.queue.ClaimLease;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.release.Downgrade;
import io.github.lockstarter.lease.release.LeaseHandles;
import io.github.lockstarter.lease.release.LocalHandOff;
import io.github.lockstarter.lease.release.LostGrantRelease;
import io.github.lockstarter.lease.release.MinimumHoldRelease;
import io.github.lockstarter.lease.release.OrphanCleanup;
import io.github.lockstarter.lease.release.PermitHandOff;
import io.github.lockstarter.lease.release.ReleaseOutcomes;
import io.github.lockstarter.lease.release.Releaser;
import io.github.lockstarter.lease.release.StoreDowngrade;
import io.github.lockstarter.lease.release.StoreRelease;
import io.github.lockstarter.lease.release.Succession;
import io.github.lockstarter.lease.settings.ByName;
import io.github.lockstarter.lease.settings.HandOffLimits;
import io.github.lockstarter.lease.settings.LockSettings;
import io.github.lockstarter.lease.support.AcquisitionIds;
import io.github.lockstarter.lease.support.InFlightCounter;
import io.github.lockstarter.lease.support.LeaseClock;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.lease.support.LogQueue;
import io.github.lockstarter.lease.support.StopSignal;
import io.github.lockstarter.lease.support.TimingWheel;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.tx.UnlockWarning;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One run of a registry, from its start to its stop: creates and connects all parts, starts and stops them. A restart
 * creates a new run, so that nothing of the old one can affect it. No part knows the run.
 */
final class RegistryRun {

    private final LockStore store;

    private final LockSettings settings;

    private final StopSignal stop = new StopSignal();

    private final LogQueue log = new LogQueue();

    private final ListenerQueue listenerQueue;

    private final LockThreads threads = new LockThreads();

    private final AcquisitionIds ids = new AcquisitionIds();

    private final LocalQueues<Grant> queues;

    /** Grants that are live or being released. */
    private final InFlightCounter live = new InFlightCounter();

    /** Attempts to acquire that have no reply yet. */
    private final InFlightCounter attempts = new InFlightCounter();

    private final InFlightCounter waiting = new InFlightCounter();

    private final Losses losses;

    private final SharedGrants shared;

    private final CheckSchedule checks;

    private final OrphanCleanup cleanup;

    private final AsyncAcquirer asynchronous;

    private final WaitingListener messages;

    private final OwnedLocks owned;

    private final LockedExecution execution;

    private final UnownedLeases unowned;

    private final InstancePublisher publisher;

    private final StoredLocks stored;

    private final Inventory inventory;

    private final HealthReport health;

    RegistryRun(
            LeaseClock clock,
            LockStore store,
            LockSettings settings,
            @Nullable MeterListener meters,
            List<LockListener> listeners,
            AcquireObserver observer,
            ThreadHolds holds) {
        this.store = store;
        this.settings = settings;
        this.queues = new LocalQueues<>(kind -> new LineTicket(kind.idOf(this.ids.next()), clock));
        LoggedNames names = settings.names();
        this.listenerQueue = new ListenerQueue(this.log, clock::nanoTime);

        // Grants
        LockListener lines = new LoggingLockListener(clock::nanoTime, names);
        LeaseEvents events =
                new LeaseEvents(clock, new EventObservers(meters, lines, this.log, listeners, this.listenerQueue));
        TimingWheel<Grant> watched = new TimingWheel<>(clock.nanoTime());
        this.losses = new Losses(clock, watched, events, this.live, this::lost, names);
        LeaseTerms terms = new LeaseTerms(settings);
        ByName<RenewalSchedule> renewals = RenewalSchedule.byName(settings);
        this.checks = new CheckSchedule(clock, this.threads, watched, this.losses, renewals);
        Renewer renewer = new Renewer(clock, store, this.threads, events, this.losses, this.checks, renewals);
        Watchdog watchdog = new Watchdog(clock, this.checks, renewals, renewer, this.losses, this.log);
        this.checks.onDue(watchdog::checkDue);
        GrantFactory grants = new GrantFactory(clock, terms, events, this.checks, renewer, this.live);
        long claimMillis = store.claimMillis();
        ClaimLease claimLease = new ClaimLease(clock, claimMillis, LeaseTerms.usableNanos(claimMillis));

        // Their end
        this.cleanup = new OrphanCleanup(clock, store, this.threads, names);
        Succession succession =
                new Succession(this.queues, grants, this.losses, this.cleanup, this.stop, clock, claimLease);
        ReleaseOutcomes outcomes = new ReleaseOutcomes(events, this.losses, this.live, this.cleanup, this.log);
        ByName<HandOffLimits> limits = new ByName<>(settings, HandOffLimits::of);
        this.shared = new SharedGrants(clock, grants, this.losses, limits);
        LocalHandOff handOff = new LocalHandOff(this.queues, grants, this.losses, outcomes, clock, limits, claimLease);
        PermitHandOff permits = new PermitHandOff(
                this.queues, handOff, grants, this.shared, this.cleanup, this.checks, this.live, clock);
        Releaser releaser = new Releaser(
                this.losses,
                this.checks,
                handOff,
                this.shared,
                permits,
                outcomes,
                new StoreRelease(store, this.threads, outcomes, succession, clock, settings.commandTimeout()),
                new MinimumHoldRelease(store, this.threads, outcomes, succession, clock),
                new LostGrantRelease(this.queues, this.cleanup, events),
                settings.releaseMode(),
                settings.warnOnUnlockInTransaction() ? new UnlockWarning() : null);
        LeaseHandles handles = new LeaseHandles(this.losses, renewer, releaser, terms, this.threads, this.checks);

        // Their beginning
        ThisInstance own = new ThisInstance(
                this.ids.instance(), settings.application(), Instant.ofEpochMilli(clock.currentTimeMillis()));
        InstanceDirectory instances = new InstanceDirectory(store, clock, own);
        this.publisher = new InstancePublisher(own, store, this.threads, settings.watchdogTimeout());
        LockHolders lockHolders = new LockHolders(this.queues, this.shared, this.losses, instances);
        AcquireReports reports = new AcquireReports(events, names, lockHolders, this.waiting, this.stop, this.log);
        SharedAdmission admission = new SharedAdmission(this.queues, this.shared, permits, succession);
        Attempts asked = new Attempts(
                clock,
                store,
                new StoreGrants(clock, grants, this.losses, reports, admission),
                reports,
                claimLease,
                instances,
                new BroughtGrants(claimLease, renewer),
                admission,
                this.attempts);
        HolderChecks holders = new HolderChecks(this.queues, store, this.losses, names);
        QueueEntrance entrance = new QueueEntrance(this.queues, admission, succession, releaser);
        BlockingAcquirer blocking = new BlockingAcquirer(entrance, asked, holders, reports, observer);
        this.asynchronous = new AsyncAcquirer(entrance, asked, holders, reports, observer, handles, this.threads);
        this.messages = new HandOverMessages(this.queues, store, clock, claimLease, renewer, names);

        // What the registry offers
        AcquisitionFactory acquisitions = new AcquisitionFactory(clock, settings, terms);
        NestedHolds nested = new NestedHolds(clock, terms, renewer, this.checks);
        Downgrade downgrade = new Downgrade(
                new StoreDowngrade(clock, store, terms, grants, settings.commandTimeout()),
                grants,
                this.shared,
                this.checks,
                outcomes,
                succession,
                handles,
                clock);
        this.owned = new OwnedLocks(holds, nested, acquisitions, blocking, reports, handles, downgrade, names);
        this.execution = new LockedExecution(this.owned, this.losses, names, settings.onLost());
        this.unowned = new UnownedLeases(holds, acquisitions, blocking, this.asynchronous, reports, handles, names);
        this.inventory = new Inventory(this.queues, this.shared, this.losses, clock);
        this.stored = new StoredLocks(instances, settings.commandTimeout());
        StoreProbe probe = new StoreProbe(clock, store, this.threads, settings.commandTimeout());
        this.health = new HealthReport(
                this.inventory, probe, this.checks, this.losses, this.waiting, this.stop, settings.shortestInterval());
    }

    private void lost(Grant grant, LossReason reason) {
        boolean last = !(grant instanceof SharedGrant sharing) || this.shared.lost(sharing, reason);
        this.queues.leave(grant.lockName(), grant);
        if (last && reason == LossReason.OWNER_DIED && grant.ownerDied()) {
            this.cleanup.ofGrant(grant);
        }
    }

    void start() {
        this.store.start(this.ids.instance(), this.messages);
        this.publisher.start();
    }

    /** Refuses new acquisitions, lets bodies end, and gives up what is still held after that, without deleting it. */
    void stop() {
        this.stop.stop();
        this.queues.failAll(new LockException("The lock registry is stopping."));
        this.asynchronous.refuseAll();
        // Attempts without a reply may still be granted, and then have a body.
        this.attempts.awaitNone(this.settings.commandTimeout().multipliedBy(2));
        this.live.awaitNone(this.settings.shutdownTimeout());
        this.losses.giveUpAll();
        this.checks.watched().forEach(this.losses::check);
        this.waiting.awaitNone(this.settings.commandTimeout());
        new RunThreads(this.threads, this.listenerQueue, this.log).stop(Duration.ofSeconds(1));
        this.cleanup.awaitAnswers(Duration.ofSeconds(1));
        this.store.stop(this.messages);
    }

    OwnedLocks owned() {
        return this.owned;
    }

    LockedExecution execution() {
        return this.execution;
    }

    UnownedLeases unowned() {
        return this.unowned;
    }

    Inventory inventory() {
        return this.inventory;
    }

    StoredLocks stored() {
        return this.stored;
    }

    HealthReport health() {
        return this.health;
    }

    int active() {
        return this.live.count();
    }

    int waiting() {
        return this.waiting.count();
    }

    Duration watchdogLag() {
        return this.checks.lag();
    }

    long droppedEvents() {
        return this.listenerQueue.dropped();
    }
}
