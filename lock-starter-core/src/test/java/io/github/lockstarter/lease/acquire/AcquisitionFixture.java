package io.github.lockstarter.lease.acquire;

import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.lease.HandClock;
import io.github.lockstarter.lease.PuppetStore;
import io.github.lockstarter.lease.event.EventObservers;
import io.github.lockstarter.lease.event.ListenerQueue;
import io.github.lockstarter.lease.grant.CheckSchedule;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.GrantFactory;
import io.github.lockstarter.lease.grant.LeaseEvents;
import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.grant.RenewalSchedule;
import io.github.lockstarter.lease.grant.Renewer;
import io.github.lockstarter.lease.grant.SharedGrants;
import io.github.lockstarter.lease.holder.InstanceDirectory;
import io.github.lockstarter.lease.holder.ThisInstance;
import io.github.lockstarter.lease.queue.ClaimLease;
import io.github.lockstarter.lease.queue.LineTicket;
import io.github.lockstarter.lease.queue.LocalQueues;
import io.github.lockstarter.lease.queue.QueueNode;
import io.github.lockstarter.lease.release.LocalHandOff;
import io.github.lockstarter.lease.release.OrphanCleanup;
import io.github.lockstarter.lease.release.PermitHandOff;
import io.github.lockstarter.lease.release.ReleaseOutcomes;
import io.github.lockstarter.lease.release.Succession;
import io.github.lockstarter.lease.settings.ByName;
import io.github.lockstarter.lease.settings.HandOffLimits;
import io.github.lockstarter.lease.settings.LockSettings;
import io.github.lockstarter.lease.support.AcquisitionIds;
import io.github.lockstarter.lease.support.InFlightCounter;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.lease.support.LogQueue;
import io.github.lockstarter.lease.support.StopSignal;
import io.github.lockstarter.lease.support.TimingWheel;
import io.github.lockstarter.text.LoggedNames;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** The parts of a registry that acquire, over a store in which a test can intervene. */
abstract class AcquisitionFixture {

    static final LockRequest REQUEST = LockRequest.of("orders:42");

    static final Duration POLL = Duration.ofMillis(500);

    final HandClock clock = new HandClock();

    final PuppetStore store = new PuppetStore();

    final LockSettings settings = LockSettings.of(
            Duration.ofSeconds(10), OnLost.THROW, Duration.ofSeconds(30), null, null, null, POLL, Duration.ZERO);

    final LockThreads threads = new LockThreads();

    final LogQueue log = new LogQueue();

    final ListenerQueue listeners = new ListenerQueue(this.log, this.clock::nanoTime);

    final LeaseEvents events = new LeaseEvents(
            this.clock, new EventObservers(null, new LockListener() {}, this.log, List.of(), this.listeners));

    final InFlightCounter live = new InFlightCounter();

    final TimingWheel<Grant> watched = new TimingWheel<>(this.clock.nanoTime());

    final Losses losses =
            new Losses(this.clock, this.watched, this.events, this.live, (grant, reason) -> {}, LoggedNames.WITH_KEYS);

    final CheckSchedule checks = new CheckSchedule(
            this.clock, this.threads, this.watched, this.losses, RenewalSchedule.byName(this.settings));

    final LeaseTerms terms = new LeaseTerms(this.settings);

    private final Renewer renewer = new Renewer(
            this.clock,
            this.store,
            this.threads,
            this.events,
            this.losses,
            this.checks,
            RenewalSchedule.byName(this.settings));

    final GrantFactory grants =
            new GrantFactory(this.clock, this.terms, this.events, this.checks, this.renewer, this.live);

    final AcquisitionIds ids = new AcquisitionIds();

    final LocalQueues<Grant> queues = new LocalQueues<>(kind -> new LineTicket(this.ids.next(), this.clock));

    final InstanceDirectory instances =
            new InstanceDirectory(this.store, this.clock, new ThisInstance(this.ids.instance(), "shop", Instant.EPOCH));

    final SharedGrants shared = new SharedGrants(
            this.clock,
            this.grants,
            this.losses,
            new ByName<>(this.settings, own -> new HandOffLimits(10_000_000, 64, 0)));

    private final ClaimLease noMessages = new ClaimLease(this.clock, 0, 0);

    final AcquireReports reports = new AcquireReports(
            this.events,
            LoggedNames.WITH_KEYS,
            new LockHolders(this.queues, this.shared, this.losses, this.instances),
            new InFlightCounter(),
            new StopSignal(),
            this.log);

    private final SharedAdmission admission = admission();

    final Attempts attempts = new Attempts(
            this.clock,
            this.store,
            new StoreGrants(this.clock, this.grants, this.losses, this.reports, this.admission),
            this.reports,
            this.noMessages,
            this.instances,
            new BroughtGrants(this.noMessages, this.renewer),
            this.admission,
            new InFlightCounter());

    private SharedAdmission admission() {
        OrphanCleanup cleanup = new OrphanCleanup(this.clock, this.store, this.threads, LoggedNames.WITH_KEYS);
        ReleaseOutcomes outcomes = new ReleaseOutcomes(this.events, this.losses, this.live, cleanup, this.log);
        LocalHandOff limits = new LocalHandOff(
                this.queues,
                this.grants,
                this.losses,
                outcomes,
                this.clock,
                new ByName<>(this.settings, HandOffLimits::of),
                this.noMessages);
        PermitHandOff permits = new PermitHandOff(
                this.queues, limits, this.grants, this.shared, cleanup, this.checks, this.live, this.clock);
        Succession succession = new Succession(
                this.queues, this.grants, this.losses, cleanup, new StopSignal(), this.clock, this.noMessages);
        return new SharedAdmission(this.queues, this.shared, permits, succession);
    }

    final QueueNode<Grant> node = this.queues.enter("orders:42", null);

    @AfterEach
    void stop() {
        this.threads.shutdown();
        this.threads.shutdownNow();
        this.listeners.shutdown();
        this.log.shutdown();
    }

    Acquisition acquisition(Duration waitTime) {
        return acquisition(REQUEST, waitTime);
    }

    Acquisition acquisition(LockRequest request, Duration waitTime) {
        return new AcquisitionFactory(this.clock, this.settings, this.terms).begin(request, waitTime, null);
    }

    Grant attempt(Acquisition acquisition) {
        return this.attempts.now(acquisition, this.node);
    }
}
