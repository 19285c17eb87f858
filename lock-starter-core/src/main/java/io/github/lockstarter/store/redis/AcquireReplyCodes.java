package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.AcquireReply;

/** Maps the results of {@code acquire.lua} to {@link AcquireReply}. */
final class AcquireReplyCodes {

    private AcquireReplyCodes() {}

    /** Returns the reply for a result. */
    static AcquireReply toReply(long result) {
        return result > 0 ? new AcquireReply.Granted(result) : new AcquireReply.Taken(-result);
    }
}
