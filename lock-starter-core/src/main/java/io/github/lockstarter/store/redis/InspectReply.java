package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.LineStatus;
import io.github.lockstarter.store.StoredLock;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads the reply of {@code inspect.lua}, whose texts are bytes or strings, depending on the connection. */
final class InspectReply {

    /** Prefix of the owner while the lock is kept for a minimum hold, see {@code keep.lua}. */
    private static final String KEPT_PREFIX = "~k";

    private InspectReply() {}

    static LineStatus of(List<?> reply) {
        if (reply.isEmpty()) {
            return new LineStatus(null, false);
        }
        String owner = text(reply.get(0));
        StoredLock lock = new StoredLock(
                owner.startsWith(KEPT_PREFIX) ? owner.substring(KEPT_PREFIX.length()) : owner,
                number(reply.get(1)),
                number(reply.get(2)),
                (int) number(reply.get(3)));
        return new LineStatus(lock, number(reply.get(4)) == 1);
    }

    private static long number(Object value) {
        return (Long) value;
    }

    private static String text(Object value) {
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : value.toString();
    }
}
