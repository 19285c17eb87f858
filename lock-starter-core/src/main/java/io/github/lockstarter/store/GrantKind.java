package io.github.lockstarter.store;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.text.LoggedNames;

/**
 * What an acquisition requests of a lock. The end of its id states it, so that each command names it, and so that a
 * store keeps it with the id: {@code .r} for reading, {@code .s<weight>.<limit>} for permits, otherwise the lock alone.
 * Immutable.
 *
 * @param mode mode of the lock that is requested
 * @param weight number of permits that the grant holds; 0 unless the mode is {@link LockMode#PERMIT}
 * @param limit number of permits that all grants may hold together with this one; 0 unless the mode is {@link
 *     LockMode#PERMIT}
 */
public record GrantKind(LockMode mode, int weight, int limit) {

    /** The lock alone. */
    public static final GrantKind EXCLUSIVE = new GrantKind(LockMode.WRITE, 0, 0);

    /** The lock for reading. */
    public static final GrantKind READER = new GrantKind(LockMode.READ, 0, 0);

    private static final String READER_SUFFIX = ".r";

    private static final String PERMITS = ".s";

    /** No acquisition id has it. */
    private static final String KEPT_PREFIX = "~k";

    /** Begins what a store writes in place of the id of an owner. */
    private static final char MARKER = '~';

    /** Returns the kind of a grant that holds permits. */
    public static GrantKind permits(int weight, int limit) {
        return new GrantKind(LockMode.PERMIT, weight, limit);
    }

    /** Returns the kind of the grant that is requested. */
    public static GrantKind of(LockRequest request) {
        return switch (request.mode()) {
            case WRITE -> EXCLUSIVE;
            case READ -> READER;
            case PERMIT -> permits(request.weight(), request.permits());
        };
    }

    /** Returns the kind that the id of an acquisition states; {@link #EXCLUSIVE} if it has no known form. */
    public static GrantKind of(String acquisitionId) {
        if (acquisitionId.indexOf('.') < 0) {
            return EXCLUSIVE;
        }
        if (acquisitionId.endsWith(READER_SUFFIX)) {
            return READER;
        }
        int from = acquisitionId.lastIndexOf(PERMITS);
        int between = from >= 0 ? acquisitionId.indexOf('.', from + PERMITS.length()) : -1;
        if (between < 0) {
            return EXCLUSIVE;
        }
        try {
            int weight = Integer.parseInt(acquisitionId, from + PERMITS.length(), between, 10);
            int limit = Integer.parseInt(acquisitionId, between + 1, acquisitionId.length(), 10);
            return weight > 0 && limit > 0 ? permits(weight, limit) : EXCLUSIVE;
        } catch (NumberFormatException ex) {
            return EXCLUSIVE;
        }
    }

    /** Returns the id of the reader that the exclusive owner with that id becomes by a downgrade. */
    public static String readerOf(String acquisitionId) {
        return acquisitionId + READER_SUFFIX;
    }

    /** Returns the id of an owner or holder that has released the lock, while it is kept for a minimum hold. */
    public static String keptOf(String acquisitionId) {
        return KEPT_PREFIX + acquisitionId;
    }

    /** Returns whether the owner or holder with that id is kept for a minimum hold. */
    public static boolean isKept(String id) {
        return id.startsWith(KEPT_PREFIX);
    }

    /** Returns the acquisition id of an owner or holder that may be kept. */
    public static String withoutKept(String id) {
        return isKept(id) ? id.substring(KEPT_PREFIX.length()) : id;
    }

    /** Returns whether the text is what a store writes in place of an id, and so the id of no acquisition. */
    public static boolean isMarker(String id) {
        return !id.isEmpty() && id.charAt(0) == MARKER;
    }

    /** Returns the id with the end that states this kind. */
    public String idOf(String plainId) {
        return switch (this.mode) {
            case WRITE -> plainId;
            case READ -> plainId + READER_SUFFIX;
            case PERMIT -> plainId + PERMITS + this.weight + '.' + this.limit;
        };
    }

    /** Creates the failure of an acquisition of this kind while the lock is in use as a lock, or for permits. */
    public LockStoreException rejectedUse(String lockName) {
        // Whether keys may be logged is not available here, so the message omits the key.
        return new LockStoreException(
                "The lock '" + LoggedNames.WITHOUT_KEYS.of(lockName) + "' is in use "
                        + (this.mode == LockMode.PERMIT
                                ? "as a lock, and cannot be used for permits"
                                : "for permits, and cannot be used as a lock")
                        + ". Use different names for a lock and for a semaphore.",
                null,
                false,
                false);
    }

    /** Returns whether several grants of this kind may exist at the same time. */
    public boolean isShared() {
        return this.mode != LockMode.WRITE;
    }
}
