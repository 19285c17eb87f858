package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.WaitingListener;
import io.github.lockstarter.store.redis.script.LockKeys;
import org.jspecify.annotations.Nullable;

/**
 * A message of a script that a lock was granted: its key, followed by {@code <id>:<token>} unless the inbox got several
 * grants. Anything after the key that is not an id and a token is ignored.
 *
 * @param acquisitionId id of the acquisition that the lock was granted to; empty: unknown
 * @param fencingToken token of the grant; 0: unknown
 */
record GrantMessage(String lockName, String acquisitionId, long fencingToken) {

    /** More digits than those of a token in microseconds, and few enough for a {@code long}. */
    private static final int MOST_DIGITS = 18;

    /**
     * Reads a message; the key is the part up to the last brace, because a name has no brace in its key. Returns null if
     * the message does not begin with the key of a lock.
     */
    static @Nullable GrantMessage of(String message, LockKeys keys) {
        int end = message.lastIndexOf('}') + 1;
        String lockName = keys.nameOf(message.substring(0, end));
        if (lockName == null) {
            return null;
        }
        int colon = message.indexOf(':', end);
        long token = colon > end ? tokenOf(message.substring(colon + 1)) : 0;
        return new GrantMessage(lockName, token > 0 ? message.substring(end, colon) : "", token);
    }

    private static long tokenOf(String digits) {
        boolean valid = !digits.isEmpty()
                && digits.length() <= MOST_DIGITS
                && digits.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        return valid ? Long.parseLong(digits) : 0;
    }

    void deliver(WaitingListener listener) {
        if (this.fencingToken > 0) {
            listener.granted(this.lockName, this.acquisitionId, this.fencingToken);
        } else {
            listener.handedOver(this.lockName);
        }
    }
}
