package io.github.lockstarter;

/** Common interface of the events of locks. Events are immutable. */
public interface LockEvent {

    /** Returns the request that the event is about, with the settings of its name. */
    LockRequest request();

    /** Returns the static name of the lock. There are few of them, so it is suitable as a tag of meters. */
    default String name() {
        return request().name();
    }

    /**
     * Returns the key under the static name; may be empty. The number of keys is unbounded, so never use it as a tag.
     */
    default String key() {
        return request().key();
    }

    /** Returns the mode in which the lock was requested, which is suitable as a tag of meters. */
    default LockMode mode() {
        return request().mode();
    }

    /** Returns the full name of the lock: the static name, followed by {@code :key} if there is a key. */
    default String lockName() {
        return request().lockName();
    }

    /** Common interface of the events of a lock that was granted. */
    interface OfGrant extends LockEvent {

        /** Returns the grant that the event is about. */
        Grant grant();

        @Override
        default LockRequest request() {
            return grant().request();
        }

        /** Returns the token of the grant. */
        default long fencingToken() {
            return grant().fencingToken();
        }

        /** Returns the id of the grant in the store. */
        default String acquisitionId() {
            return grant().acquisitionId();
        }
    }

    /**
     * Identifies a grant.
     *
     * @param request what was requested
     * @param fencingToken token of the grant
     * @param acquisitionId id of the grant in the store
     */
    record Grant(LockRequest request, long fencingToken, String acquisitionId) {}
}
