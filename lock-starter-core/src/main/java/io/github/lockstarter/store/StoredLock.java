package io.github.lockstarter.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lock that is owned, as the store describes it.
 *
 * @param owner id of the owning acquisition or of one of several holders, or {@link GrantKind#keptOf} that id while the
 *     lock is kept for its minimum hold, or {@code null} if it is unknown
 * @param fencingToken token of the last grant by the store, or 0 if it is unknown
 * @param remainingMillis milliseconds until the lease expires, until the last lease expires if there are several
 *     holders; negative if it is unknown
 * @param waiting number of acquisitions in the waiting line, at most one of each kind for each instance; negative if it
 *     is unknown
 * @param line ids of the first 100 acquisitions in the waiting line, in the order of arrival; empty if they are unknown
 * @param holders the holders if the lock is shared; empty if it is owned exclusively, or if they are unknown
 */
public record StoredLock(
        @Nullable String owner,
        long fencingToken,
        long remainingMillis,
        int waiting,
        List<String> line,
        List<StoredHolder> holders) {

    /** Largest number of acquisitions in {@link #line}. */
    public static final int MAX_IN_LINE = 100;

    /** A lock that is owned, without further data. */
    public static final StoredLock OWNED = new StoredLock(null, 0, -1, -1);

    /** Creates the description of a lock that is owned exclusively. */
    public StoredLock(@Nullable String owner, long fencingToken, long remainingMillis, int waiting) {
        this(owner, fencingToken, remainingMillis, waiting, List.of(), List.of());
    }

    /** Creates a description. */
    public StoredLock {
        line = List.copyOf(line);
        holders = List.copyOf(holders);
    }
}
