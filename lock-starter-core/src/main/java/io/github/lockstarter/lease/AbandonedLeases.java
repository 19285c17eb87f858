package io.github.lockstarter.lease;

import io.github.lockstarter.LockException;
import java.lang.ref.Cleaner;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Notices leases that belong to no thread and became unreachable without a release: nobody can release them any more, so
 * they are left to run out instead of being renewed for ever. The key is not deleted, for what was done under such a
 * lease may still be going on.
 */
final class AbandonedLeases {

    private static final Log logger = LogFactory.getLog(AbandonedLeases.class);

    private static final Cleaner CLEANER = Cleaner.create();

    private final Watchdog watchdog;

    AbandonedLeases(Watchdog watchdog) {
        this.watchdog = watchdog;
    }

    Cleaner.Cleanable register(LeaseHandle handle, Grant grant) {
        Watchdog dog = this.watchdog;
        return CLEANER.register(handle, () -> abandon(dog, grant));
    }

    private static void abandon(Watchdog watchdog, Grant grant) {
        if (grant.standing().isLive()) {
            logger.error(LockException.printable(
                    "A lease of lock '" + grant.lockName() + "' (fencing token " + grant.fencingToken()
                            + ") was dropped without a release. It is renewed no longer and runs out; release it in a finally"
                            + " block or in try-with-resources."));
            grant.abandon();
            watchdog.reconsider(grant);
        }
    }
}
