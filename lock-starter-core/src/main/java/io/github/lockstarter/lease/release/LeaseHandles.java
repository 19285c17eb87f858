package io.github.lockstarter.lease.release;

import io.github.lockstarter.lease.grant.CheckSchedule;
import io.github.lockstarter.lease.grant.Grant;
import io.github.lockstarter.lease.grant.LeaseTerms;
import io.github.lockstarter.lease.grant.Losses;
import io.github.lockstarter.lease.grant.Renewer;
import io.github.lockstarter.lease.support.LockThreads;
import io.github.lockstarter.text.LockLog;
import java.lang.ref.Cleaner;
import java.util.concurrent.CompletionStage;

/**
 * Creates the handles through which users use their grants.
 *
 * <p>A lease that belongs to no thread and becomes unreachable without a release can no longer be released. It is not
 * renewed any more and expires. Its key is not deleted, because the work under the lease may still be going on.
 */
public final class LeaseHandles {

    private static final LockLog logger = LockLog.of(LeaseHandles.class);

    private static final Cleaner CLEANER = Cleaner.create();

    private final LeaseHandle.Operations operations;

    private final CheckSchedule checks;

    public LeaseHandles(
            Losses losses,
            Renewer renewer,
            Releaser releaser,
            LeaseTerms terms,
            LockThreads threads,
            CheckSchedule checks) {
        this.operations = new LeaseHandle.Operations(losses, renewer, releaser, terms, threads);
        this.checks = checks;
    }

    /** Creates a handle for a grant of a thread, which must unlock it and is watched itself. */
    public LeaseHandle ofThread(Grant grant) {
        return new LeaseHandle(this.operations, grant);
    }

    /** Creates a handle that is watched for being dropped without a release. */
    public LeaseHandle withoutThread(Grant grant) {
        LeaseHandle handle = new LeaseHandle(this.operations, grant);
        // Neither action nor grant may refer to the handle, or it would never become unreachable.
        Losses losses = this.operations.losses();
        CheckSchedule schedule = this.checks;
        handle.setCleanable(CLEANER.register(handle, () -> dropped(grant, losses, schedule)));
        return handle;
    }

    /** Releases a grant whose handle reaches no user, without waiting for the store. */
    public CompletionStage<?> giveBack(Grant grant) {
        return this.operations.releaser().giveBack(grant);
    }

    private static void dropped(Grant grant, Losses losses, CheckSchedule checks) {
        if (grant.isLive()) {
            logger.error("A lease of lock '" + losses.shownName(grant) + "' (fencing token " + grant.fencingToken()
                    + ") was dropped without a release. It is no longer renewed and expires. Release leases in a finally"
                    + " block or with try-with-resources.");
            grant.abandon();
            checks.checkNow(grant);
        }
    }
}
