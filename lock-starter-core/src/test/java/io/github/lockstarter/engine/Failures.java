package io.github.lockstarter.engine;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.LockStore;

/** What a {@link LockStore} throws. */
public final class Failures {

    private Failures() {}

    /** Nothing was executed, and it may work later. */
    public static LockStoreException refused() {
        return new LockStoreException("refused", null, false, true);
    }

    /** Perhaps it was executed. */
    public static LockStoreException unanswered() {
        return new LockStoreException("unanswered", null, true, true);
    }

    /** Nothing was executed, and waiting does not help. */
    public static LockStoreException hopeless() {
        return new LockStoreException("hopeless", null, false, false);
    }
}
