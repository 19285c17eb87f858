package io.github.lockstarter.shedlock;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockLostException;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A lease as ShedLock wants it; extended, it goes on as another object. */
final class LeaseSimpleLock extends AbstractSimpleLock {

    private final Lease lease;

    private final long takenAt = System.nanoTime();

    LeaseSimpleLock(LockConfiguration configuration, Lease lease) {
        super(configuration);
        this.lease = lease;
    }

    /** That it was lost, because the task took longer than it may, is in the log and in the meters by now. */
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
            // ShedLock takes a lock that could not be extended for gone and does not unlock it.
            this.lease.close();
            return Optional.empty();
        }
    }
}
