package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.ReleaseReply;

/** Puts the numbers of the release script into words. */
final class ReleaseAnswers {

    private ReleaseAnswers() {}

    /**
     * What an answer means.
     *
     * @param broke whether a connection broke meanwhile over which the client repeats commands by itself
     */
    static ReleaseReply meaning(long answer, boolean broke) {
        if (answer <= 0 && broke) {
            return ReleaseReply.UNPROVEN;
        }
        if (answer > 3) {
            return ReleaseReply.kept(answer);
        }
        return switch ((int) answer) {
            case 1 -> ReleaseReply.RELEASED;
            case 2 -> ReleaseReply.QUEUED;
            case 3 -> ReleaseReply.LEFT;
            case 0 -> ReleaseReply.GONE;
            default -> ReleaseReply.TAKEN;
        };
    }
}
