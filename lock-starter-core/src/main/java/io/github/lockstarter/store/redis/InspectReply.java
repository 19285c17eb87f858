package io.github.lockstarter.store.redis;

import io.github.lockstarter.store.StoredHolder;
import io.github.lockstarter.store.StoredLock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the reply of {@code inspect.lua}, whose texts are bytes or strings, depending on the connection. */
final class InspectReply {

    /** Prefix of the owner while the lock is kept for a minimum hold, see {@code keep.lua}. */
    private static final String KEPT_PREFIX = "~k";

    /** Owner of a lock that readers share, see {@code lock.lua}. */
    private static final String READERS = "~r";

    /** Position of the first holder of a shared lock in the reply. */
    private static final int FIRST_HOLDER = 5;

    private InspectReply() {}

    /** Returns the lock; null if it is free. */
    static @Nullable StoredLock of(List<?> reply) {
        if (reply.isEmpty()) {
            return null;
        }
        List<StoredHolder> holders = new ArrayList<>();
        for (int i = FIRST_HOLDER; i < reply.size(); i += 4) {
            holders.add(new StoredHolder(
                    withoutPrefix(text(reply.get(i))), number(reply.get(i + 1)), number(reply.get(i + 2)), (int)
                            number(reply.get(i + 3))));
        }
        return new StoredLock(
                holders.isEmpty()
                        ? withoutPrefix(text(reply.get(0)))
                        : holders.get(0).acquisitionId(),
                number(reply.get(1)),
                number(reply.get(2)),
                (int) number(reply.get(3)),
                ((List<?>) reply.get(4)).stream().map(InspectReply::text).toList(),
                holders);
    }

    static String withoutPrefix(String owner) {
        return owner.startsWith(KEPT_PREFIX) ? owner.substring(KEPT_PREFIX.length()) : owner;
    }

    /** Returns the ids of all readers as they are in Redis; empty if the lock is owned in another way, or free. */
    static List<String> readers(List<?> reply) {
        return !reply.isEmpty() && text(reply.get(0)).equals(READERS) ? owners(reply) : List.of();
    }

    /** Returns the ids of all owners as they are in Redis. */
    static List<String> owners(List<?> reply) {
        List<String> owners = new ArrayList<>();
        for (int i = FIRST_HOLDER; i < reply.size(); i += 4) {
            owners.add(text(reply.get(i)));
        }
        if (owners.isEmpty() && !reply.isEmpty()) {
            owners.add(text(reply.get(0)));
        }
        return owners;
    }

    private static long number(Object value) {
        return (Long) value;
    }

    static String text(Object value) {
        return value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : value.toString();
    }
}
