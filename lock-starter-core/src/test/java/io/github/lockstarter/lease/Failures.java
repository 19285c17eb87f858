package io.github.lockstarter.lease;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.LockStore;

/** What a {@link LockStore} throws. */
final class Failures {

    private Failures() {}

    /** Nothing was executed, and it may work later. */
    static LockStoreException refused() {
        return new LockStoreException("refused", null, false, true);
    }

    /** Perhaps it was executed. */
    static LockStoreException unanswered() {
        return new LockStoreException("unanswered", null, true, true);
    }

    /** Nothing was executed, and waiting does not help. */
    static LockStoreException hopeless() {
        return new LockStoreException("hopeless", null, false, false);
    }
}
