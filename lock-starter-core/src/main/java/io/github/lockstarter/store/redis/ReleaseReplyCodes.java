package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.ReleaseReply;

/** Maps the results of {@code release.lua} and {@code keep.lua} to {@link ReleaseReply}. */
final class ReleaseReplyCodes {

    /** Larger results are the fencing token of the successor. */
    private static final long LARGEST_CODE = 3;

    private ReleaseReplyCodes() {}

    /**
     * Returns the reply for a result.
     *
     * @param disconnected whether a connection broke during the call, so that the client may have repeated it
     */
    static ReleaseReply toReply(long result, boolean disconnected) {
        if (result > LARGEST_CODE) {
            return ReleaseReply.grantedToSuccessor(result);
        }
        if (result < -LARGEST_CODE) {
            return ReleaseReply.queued(-result);
        }
        if (result <= 0 && disconnected) {
            return ReleaseReply.UNPROVEN;
        }
        return switch ((int) result) {
            case 1 -> ReleaseReply.RELEASED;
            case 3 -> ReleaseReply.LEFT;
            case 0 -> ReleaseReply.GONE;
            default -> ReleaseReply.TAKEN;
        };
    }
}
