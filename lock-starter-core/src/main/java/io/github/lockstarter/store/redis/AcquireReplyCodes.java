package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.AcquireReply;
import java.util.List;

/** Reads the reply of {@code acquire.lua}: the token alone, or the description of a refusal. */
final class AcquireReplyCodes {

    private AcquireReplyCodes() {}

    /** Returns the reply for a result. */
    static AcquireReply toReply(List<?> result) {
        long first = (Long) result.get(0);
        if (first > 0) {
            return new AcquireReply.Granted(first);
        }
        String owner = InspectReply.withoutPrefix(InspectReply.text(result.get(1)));
        long token = (Long) result.get(2);
        long pollMillis = (Long) result.get(3);
        long used = (Long) result.get(4);
        return new AcquireReply.Taken(-first, owner.isEmpty() ? null : owner, token, (int) used, pollMillis);
    }
}
