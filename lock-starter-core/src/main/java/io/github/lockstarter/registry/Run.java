package io.github.lockstarter.registry;

import io.github.lockstarter.engine.AcquisitionIds;
import io.github.lockstarter.engine.Engine;
import io.github.lockstarter.engine.LeaseClock;
import io.github.lockstarter.engine.RunThreads;
import io.github.lockstarter.lock.Moment;
import io.github.lockstarter.lock.Rules;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.text.LoggedNames;
import io.github.lockstarter.tx.UnlockWarning;
import java.lang.ref.ReferenceQueue;

/**
 * One run of a registry, from its start to its stop. It creates and connects all parts, starts them and stops them. A
 * restart creates a new run with a new instance id, so nothing of the old run can affect it. No part refers to the run.
 */
final class Run {

    private final LockSettings settings;

    private final RunThreads threads = new RunThreads(this::later);

    final LockEvents events;

    final Engine engine;

    final Instances instances;

    final LeaseHandle.Operations leases;

    final Acquisitions acquisitions;

    final Inventory inventory;

    final StoredLocks stored;

    Run(LockStore store, LockSettings settings, LockEvents.Observers observers, LeaseClock clock) {
        this.settings = settings;
        LoggedNames names = settings.names();
        AcquisitionIds ids = new AcquisitionIds();
        this.instances = new Instances(ids.instance(), settings, store, this.threads, this::now);
        this.events = new LockEvents(this::now, this.threads, names, this.instances, observers);
        this.engine = new Engine(store, rules(store, settings), this.events, clock, ids);
        this.leases = new LeaseHandle.Operations(
                this.engine,
                this.events,
                this.threads,
                new LeaseTerms(settings),
                // Without an order of commands, the next acquisition of a thread could overtake its own release.
                settings.releaseMode() == ReleaseMode.BACKGROUND && store.sendsWithoutThread(),
                settings.warnOnUnlockInTransaction() ? new UnlockWarning() : null,
                new ReferenceQueue<>());
        this.acquisitions = new Acquisitions(
                this.leases,
                new AcquireReports(this.engine, this.events, this.instances),
                this.instances,
                observers.acquisitions(),
                settings.commandTimeout().toNanos());
        this.inventory = new Inventory(this.engine, this.events, store, settings);
        this.stored = new StoredLocks(store, this.engine, this.instances);
    }

    private static Rules rules(LockStore store, LockSettings settings) {
        long claim = store.claimMillis() * Moment.MILLI;
        HandOffSettings handOff = settings.handOff();
        return new Rules(
                settings.commandTimeout().toNanos(),
                settings.pollInterval().toNanos(),
                claim,
                handOff.maxTime().toNanos(),
                handOff.maxCount(),
                claim == 0,
                settings.maxWaiters() != null ? settings.maxWaiters() : Integer.MAX_VALUE);
    }

    private Moment now() {
        return this.engine.now();
    }

    private boolean later(Runnable task, long delayNanos) {
        return this.engine.later(task, delayNanos);
    }

    void start() {
        this.engine.start();
        this.instances.start();
        this.leases.start();
    }

    /**
     * Stops the run. Refuses new acquisitions, lets bodies end within the shutdown timeout, and then declares the
     * remaining grants lost without deleting their keys.
     */
    void stop() {
        this.engine.stop(this.settings.shutdownTimeout());
        this.threads.stop();
    }
}
