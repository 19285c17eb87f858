package io.github.lockstarter;

import io.github.lockstarter.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Checks the names of locks, and caches static names, so that the requests for many locks share one string for each static
 * name. Thread-safe.
 */
final class StaticNames {

    /** Largest number of cached names; names beyond it are not cached. */
    private static final int MOST = 1000;

    private static final int MAX_NAME_BYTES = 512;

    private static final int MOST_SHOWN = 60;

    private static final ConcurrentMap<String, String> KNOWN = new ConcurrentHashMap<>();

    private StaticNames() {}

    /** Returns the part of the lock's name before the position. */
    static String of(String lockName, int end) {
        String name = lockName.substring(0, end);
        String known = KNOWN.get(name);
        if (known == null) {
            known = KNOWN.size() < MOST ? KNOWN.computeIfAbsent(name, unused -> name) : name;
        }
        return known;
    }

    /** Throws IllegalArgumentException if the name of a lock is blank or too long. */
    static void requireUsable(String lockName) {
        if (lockName.isBlank()) {
            throw new IllegalArgumentException("The name of a lock must not be blank.");
        }
        // A char has at most three bytes in UTF-8, so that most names need not be encoded.
        int bytes = lockName.length() > MAX_NAME_BYTES / 3 ? lockName.getBytes(StandardCharsets.UTF_8).length : 0;
        if (bytes > MAX_NAME_BYTES) {
            throw new IllegalArgumentException(Printable.of("The name of a lock must be at most " + MAX_NAME_BYTES
                    + " bytes long, but one that begins with '" + beginning(lockName) + "' has " + bytes
                    + ". Use a digest of the key."));
        }
    }

    /** Returns the beginning of the static name, without the key, which may be personal data. */
    private static String beginning(String lockName) {
        int colon = lockName.indexOf(':');
        return lockName.substring(0, Math.min(colon >= 0 ? colon : lockName.length(), MOST_SHOWN));
    }
}
