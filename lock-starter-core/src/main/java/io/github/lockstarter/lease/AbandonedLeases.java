package io.github.lockstarter.lease;

import io.github.lockstarter.text.LockLog;
import io.github.lockstarter.text.LoggedNames;
import java.lang.ref.Cleaner;

/**
 * Notices leases that belong to no thread and became unreachable without a release: nobody can release them any more, so
 * they are left to run out instead of being renewed for ever. The key is not deleted, for what was done under such a
 * lease may still be going on.
 */
final class AbandonedLeases {

    private static final LockLog logger = LockLog.of(AbandonedLeases.class);

    private static final Cleaner CLEANER = Cleaner.create();

    private final Watchdog watchdog;

    private final LoggedNames names;

    AbandonedLeases(Watchdog watchdog, LoggedNames names) {
        this.watchdog = watchdog;
        this.names = names;
    }

    Cleaner.Cleanable register(LeaseHandle handle, Grant grant) {
        Watchdog dog = this.watchdog;
        LoggedNames shown = this.names;
        return CLEANER.register(handle, () -> abandon(dog, grant, shown));
    }

    private static void abandon(Watchdog watchdog, Grant grant, LoggedNames names) {
        if (grant.standing().isLive()) {
            logger.error("A lease of lock '" + names.of(grant.lockName()) + "' (fencing token " + grant.fencingToken()
                    + ") was dropped without a release. It is renewed no longer and runs out; release it in a finally"
                    + " block or in try-with-resources.");
            grant.abandon();
            watchdog.reconsider(grant);
        }
    }
}
