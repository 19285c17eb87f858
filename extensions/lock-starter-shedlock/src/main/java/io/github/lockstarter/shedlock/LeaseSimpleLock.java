package io.github.lockstarter.shedlock;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** Adapts a lease to ShedLock. An extension returns another object for the same lease. */
final class LeaseSimpleLock extends AbstractSimpleLock {

    private final Lease lease;

    private final long takenAt = System.nanoTime();

    LeaseSimpleLock(LockConfiguration configuration, Lease lease) {
        super(configuration);
        this.lease = lease;
    }

    /**
     * Releases the lease. The loss of a lease, after a task that took too long, has been logged and recorded by then.
     */
    @Override
    protected void doUnlock() {
        Duration kept = this.lockConfiguration.getLockAtLeastFor().minusNanos(System.nanoTime() - this.takenAt);
        boolean unused = this.lease.releaseAfter(kept.isNegative() ? Duration.ZERO : kept);
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration newConfiguration) {
        try {
            this.lease.extend(newConfiguration.getLockAtMostFor());
            return Optional.of(new LeaseSimpleLock(newConfiguration, this.lease));
        } catch (LockLostException ex) {
            // ShedLock does not unlock a lock whose extension failed.
            this.lease.close();
            return Optional.empty();
        }
    }
}
